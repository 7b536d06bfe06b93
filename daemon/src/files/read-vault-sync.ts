import { closeSync, fstatSync, readdirSync, readSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { descriptorPath, whereIsOpen } from './disk/open-descriptor.ts'
import { stampOf, type FileStamp } from './file-stamp.ts'
import { openFolderSync, openRegularFileSync } from './open-sync.ts'
import { isVisibleName } from './vault-path.ts'

/** A file of a vault; `bytes` unless it is too large or cannot be read. They are valid until the next file is read. */
export type VaultFileBytes = { path: string; stamp: FileStamp; bytes: Buffer | undefined }

/** The paths of all regular files with visible names, in the order of their bytes. Links are not followed. */
export function listVaultSync(root: string): string[] {
  const paths: string[] = []
  const visit = (folder: string) => {
    let entries: Dirent[]
    try {
      entries = readdirSync(join(root, folder), { withFileTypes: true })
    } catch (error) {
      // Deleted since its parent was listed. The sweep handles what cannot be read.
      if (folder === '') throw error
      return
    }
    for (const entry of entries) {
      if (!isVisibleName(entry.name)) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile()) paths.push(path)
    }
  }
  visit('')
  return sortByBytes(paths)
}

/** Order of bytes and order of UTF-16 differ only between the highest characters. */
function sortByBytes(paths: string[]): string[] {
  paths.sort()
  const isPlain = paths.every((path) => !/[\ud800-\udfff\ue000-\uffff]/.test(path))
  return isPlain ? paths : paths.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/**
 * Reads files one after the other without leaving the vault: it opens each folder, checks where it is, and names the
 * files in it.
 */
export class VaultReader {
  readonly #root: string
  readonly #maxBytes: number
  #folder: { path: string; fd: number } | undefined
  #buffer = Buffer.allocUnsafeSlow(256 * 1024)

  constructor({ root, maxBytes }: { root: string; maxBytes: number }) {
    this.#root = root
    this.#maxBytes = maxBytes
  }

  /** The stamp of a file and its bytes when `want` says so; undefined when it is not there or is no regular file. */
  read(path: string, want: 'bytes' | 'stamp'): VaultFileBytes | undefined {
    const slash = path.lastIndexOf('/')
    let file: ReturnType<typeof openRegularFileSync>
    try {
      file = openRegularFileSync(this.#at(path.slice(0, Math.max(0, slash)), path.slice(slash + 1)))
    } catch {
      return undefined
    }
    const { fd, stat: before } = file
    try {
      const stamp = stampOf(before)
      if (want === 'stamp' || before.size > this.#maxBytes) return { path, stamp, bytes: undefined }
      const bytes = this.#readBytes(fd, before.size)
      const { mtimeMs, ctimeMs, size } = fstatSync(fd)
      // Changed while it was read: the daemon sees another stamp and reads it again.
      const unchanged = size === before.size && mtimeMs === before.mtimeMs && ctimeMs === before.ctimeMs
      return { path, stamp, bytes: unchanged ? bytes : undefined }
    } catch {
      // A damaged part of the disk must not keep all other notes from being read.
      return undefined
    } finally {
      closeSync(fd)
    }
  }

  close(): void {
    if (this.#folder) closeSync(this.#folder.fd)
    this.#folder = undefined
  }

  #readBytes(fd: number, size: number): Buffer | undefined {
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size)
    for (let read = 0; read < size;) {
      const count = readSync(fd, this.#buffer, read, size - read, read)
      if (count === 0) return undefined
      read += count
    }
    return this.#buffer.subarray(0, size)
  }

  #at(folder: string, name: string): string {
    if (process.platform !== 'linux') return join(this.#root, folder, name)
    if (this.#folder?.path !== folder) {
      this.close()
      const full = join(this.#root, folder)
      const fd = openFolderSync(full)
      // A folder on the way may have been swapped for a link that leads out of the vault.
      if (whereIsOpen(fd) !== full.replace(/\/$/, '')) {
        closeSync(fd)
        throw new Error('a folder has moved')
      }
      this.#folder = { path: folder, fd }
    }
    return `${descriptorPath(this.#folder.fd)}/${name}`
  }
}
