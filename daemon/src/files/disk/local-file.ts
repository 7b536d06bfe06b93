import {
  closeSync,
  fchmod,
  fchmodSync,
  fchown,
  fchownSync,
  fdatasync,
  fsync,
  ftruncate,
  read,
  write,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import type { DiskFile } from './disk.ts'
import type { LoopTime } from './loop-time.ts'

// A copy of this size into the memory of the kernel takes a few microseconds.
const SMALL = 64 * 1024

const inThread = {
  chmod: promisify(fchmod),
  chown: promisify(fchown),
  datasync: promisify(fdatasync),
  read: promisify(read),
  sync: promisify(fsync),
  truncate: promisify(ftruncate),
  write: promisify(write),
}

/** A file on a disk of this machine. Only syncs and large contents use a thread. */
export function localFile(fd: number, time: LoopTime): DiskFile {
  let isOpen = true

  async function write(bytes: Buffer, from: number): Promise<{ bytesWritten: number }> {
    const length = bytes.length - from
    if (length <= SMALL && time.isLeft()) return { bytesWritten: time.spend(() => writeSync(fd, bytes, from, length)) }
    return inThread.write(fd, bytes, from, length, null)
  }

  async function writeAll(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;) done += (await write(bytes, done)).bytesWritten
  }

  return {
    fd,
    read: (into, offset, length, position) => inThread.read(fd, into, offset, length, position),
    write,
    async writeFile(content) {
      if (typeof content === 'string') return writeAll(Buffer.from(content))
      if (Buffer.isBuffer(content)) return writeAll(content)
      for await (const chunk of content) await writeAll(chunk)
    },
    async chmod(mode) {
      if (time.isLeft()) time.spend(() => fchmodSync(fd, mode))
      else await inThread.chmod(fd, mode)
    },
    async chown(uid, gid) {
      if (time.isLeft()) time.spend(() => fchownSync(fd, uid, gid))
      else await inThread.chown(fd, uid, gid)
    },
    truncate: (length) => inThread.truncate(fd, length),
    datasync: () => inThread.datasync(fd),
    sync: () => inThread.sync(fd),
    async close() {
      // After a close, the number may belong to another file.
      if (!isOpen) return
      isOpen = false
      closeSync(fd)
    },
  }
}
