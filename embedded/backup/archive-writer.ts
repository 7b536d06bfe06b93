import { createHash } from 'node:crypto'
import { constants, createWriteStream, type BigIntStats } from 'node:fs'
import { open, readlink, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Header as EntryHeader } from 'tar-stream'
import { CHECKSUMS, HEADER, type Checksums, type ArchivedFile, type Header } from './archive-format.ts'

const CHUNK_BYTES = 1024 * 1024

/** Writes a backup: a compressed tar archive, in which a later entry of a name replaces an earlier one. */
export class ArchiveWriter {
  readonly #pack = pack()
  readonly #packed = Readable.from(this.#pack, { objectMode: false })
  /** Rejects with the cause once nothing more can be written. */
  readonly #written: Promise<void>
  readonly #files = new Map<string, ArchivedFile>()
  /** Rejects the entry that is being written. */
  #failEntry: (failure: Error) => void = () => {}
  bytes = 0

  /** Starts a new file. It must not exist, and only its owner can read it. */
  constructor(path: string) {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    this.#written = pipeline(this.#packed, createGzip({ level: 1 }), file)
    // A full disk ends the pipeline, and then the present entry never drains.
    this.#written.catch((failure: Error) => this.#failEntry(failure))
  }

  get count(): number {
    return this.#files.size
  }

  addHeader(header: Header): Promise<void> {
    return this.#addText(HEADER, JSON.stringify(header, null, 2))
  }

  async addDirectory(name: string, { mode, mtimeMs }: BigIntStats): Promise<void> {
    await this.#entry({ name, type: 'directory', mode: Number(mode & 0o777n), mtime: new Date(Number(mtimeMs)) })
    this.#files.set(name, { name, type: 'directory', sha256: '' })
  }

  async addLink(name: string, path: string): Promise<void> {
    const linkname = await readlink(path)
    await this.#entry({ name, type: 'symlink', linkname })
    this.#files.set(name, { name, type: 'symlink', sha256: createHash('sha256').update(linkname).digest('hex') })
  }

  /**
   * Adds the present content of a file. A file that is truncated meanwhile is padded with zeros. Returns the stats that
   * the file had before it was read.
   */
  async addFile(name: string, path: string): Promise<BigIntStats> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const before = await file.stat({ bigint: true })
      if (!before.isFile()) throw new Error(`${path} is not a regular file`)
      const headers = { name, size: Number(before.size), mode: Number(before.mode & 0o777n) }
      const hash = createHash('sha256')
      await this.#entry({ ...headers, mtime: new Date(Number(before.mtimeMs)) }, bytesOf(file, headers.size, hash))
      this.#files.set(name, { name, type: 'file', sha256: hash.digest('hex') })
      return before
    } finally {
      await file.close()
    }
  }

  async addBytes(name: string, text: string): Promise<void> {
    await this.#addText(name, text)
    this.#files.set(name, { name, type: 'file', sha256: createHash('sha256').update(text).digest('hex') })
  }

  /** Drops a name that was added but no longer belongs to the backup. */
  forget(name: string): void {
    this.#files.delete(name)
  }

  /** Ends the archive. Resolves once it is on the disk. */
  async finish(): Promise<void> {
    const checksums: Checksums = { files: [...this.#files.values()] }
    await this.#addText(CHECKSUMS, JSON.stringify(checksums))
    this.#pack.finalize()
    await this.#written
  }

  /** Gives up; the caller removes the unfinished file. */
  async abort(): Promise<void> {
    this.#pack.destroy(new Error('the backup was given up'))
    await this.#written.catch(() => {})
  }

  #addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    return this.#entry({ name, size: bytes.length, mode: 0o600 }, [bytes])
  }

  async #entry(
    headers: Partial<EntryHeader> & Pick<EntryHeader, 'name'>,
    bytes: AsyncIterable<Buffer> | Iterable<Buffer> = [],
  ): Promise<void> {
    if (this.#packed.destroyed) await this.#written
    const ended = Promise.withResolvers<void>()
    const sink = this.#pack.entry(headers, (error) => {
      if (!error) ended.resolve()
    })
    sink.on('error', () => {}) // what ends the sink ends the pipeline too, and that tells the cause
    const feed = async () => {
      for await (const chunk of bytes) {
        this.bytes += chunk.length
        if (!sink.write(chunk)) await new Promise<void>((resolve) => sink.once('drain', () => resolve()))
      }
      sink.end(undefined)
      await ended.promise
    }
    await new Promise<void>((resolve, reject) => {
      this.#failEntry = reject
      feed().then(resolve, reject)
    })
  }
}

async function* bytesOf(file: FileHandle, size: number, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const length = Math.min(CHUNK_BYTES, size - at)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at)
    const chunk = bytesRead === 0 ? Buffer.alloc(length) : buffer.subarray(0, bytesRead)
    hash.update(chunk)
    at += chunk.length
    yield chunk
  }
}
