import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdir, rm, symlink, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Extract } from 'tar-stream'
import {
  AnyHeader,
  CHECKSUMS,
  Checksums,
  FORMAT,
  HEADER,
  Header,
  UnusableBackup,
  type ArchivedFile,
} from './archive-format.ts'

type Entry = Extract extends AsyncIterable<infer E> ? E : never

/** The last entry of a name: `target` of a link, `mode` of a folder. */
type Unpacked = ArchivedFile & { path: string; target?: string; mode?: number }

type Options = {
  file: string
  /** Called with the header before anything is unpacked; throws to refuse the backup. */
  onHeader: (header: Header) => void
  /** The target path of an entry name; undefined when the backup may contain no such entry. */
  placeOf: (segments: string[]) => string | undefined
  onProgress: (done: { files: number; bytes: number }) => void
}

// Limit for the archive's own entries, which are small.
const MAX_TEXT_BYTES = 512 * 1024 * 1024

/**
 * Unpacks a backup and verifies every byte of it. The archive may come from anywhere: names that leave their place are
 * refused, and links are created last, so that no file is written through one.
 */
export async function unpackArchive({ file, onHeader, placeOf, onProgress }: Options): Promise<void> {
  const unpacked = new Map<string, Unpacked>()
  let header: Header | undefined
  let checksums: ArchivedFile[] | undefined
  let bytes = 0

  const take = async (entry: Entry): Promise<void> => {
    const { name: given = '', type, size = 0, mode = 0o600, mtime = new Date(0), linkname } = entry.header
    if (header === undefined) {
      if (given !== HEADER) throw new UnusableBackup(file, 'it is no backup of this platform')
      header = readHeader(file, await textOf(entry, size))
      return onHeader(header)
    }
    if (given === CHECKSUMS) {
      checksums = Checksums.parse(JSON.parse(await textOf(entry, size))).files
      return
    }
    const segments = segmentsOf(file, given)
    const name = segments.join('/')
    const path = placeOf(segments)
    if (path === undefined || checksums !== undefined)
      throw new UnusableBackup(file, `it holds ${JSON.stringify(name)}`)
    await rm(path, { recursive: type !== 'directory', force: true }).catch(ifDirectory)
    if (type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 })
      unpacked.set(name, { name, type, sha256: '', path, mode: mode & 0o777 })
    } else if (type === 'symlink') {
      const target = linkname ?? ''
      unpacked.set(name, { name, type, sha256: sha256(target), path, target })
    } else if (type === 'file') {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const hash = createHash('sha256')
      const content = async function* () {
        for await (const chunk of entry as AsyncIterable<Buffer>) {
          hash.update(chunk)
          bytes += chunk.length
          yield chunk
        }
      }
      // An entry that the end of the archive has already cut short fails as an iterator; as a stream it never ends.
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: mode & 0o777 }))
      await utimes(path, mtime, mtime)
      unpacked.set(name, { name, type, sha256: hash.digest('hex'), path })
    } else throw new UnusableBackup(file, `it holds ${JSON.stringify(name)} of the kind ${type}`)
    onProgress({ files: unpacked.size, bytes })
  }

  const archive = extract()
  const stop = new AbortController()
  const takeAll = async () => {
    for await (const entry of archive) {
      await take(entry)
      entry.resume()
    }
  }
  const { signal } = stop
  const work = [
    pipeline(createReadStream(file), createGunzip(), (chunks) => feed(chunks, archive, signal), { signal }),
    takeAll(),
  ]
  try {
    await Promise.all(work)
  } catch (error) {
    stop.abort()
    archive.destroy(error as Error) // destroyed without an error, it never ends the loop
    await Promise.allSettled(work) // the caller removes the target, so nothing may write there any more
    throw error instanceof UnusableBackup || isOurs(error) ? error : new UnusableBackup(file, 'it is damaged', error)
  }
  if (checksums === undefined) throw new UnusableBackup(file, 'it is incomplete')

  const wanted = new Map(checksums.map((one) => [one.name, one]))
  for (const { name, type, sha256: found } of wanted.values()) {
    const one = unpacked.get(name)
    if (one?.type !== type || one.sha256 !== found) throw new UnusableBackup(file, `${name} in it is damaged`)
    // Below a link it would lie outside.
    if (foldersOf(name).some((above) => wanted.has(above) && wanted.get(above)?.type !== 'directory'))
      throw new UnusableBackup(file, `it holds ${JSON.stringify(name)} in something that is no folder`)
  }
  // Longest names first: the content of a folder before the folder.
  const inside = [...unpacked.values()].toSorted((one, other) => other.name.length - one.name.length)
  // Files that disappeared before the backup was complete.
  for (const { name, path } of inside)
    if (!wanted.has(name)) await rm(path, { recursive: true, force: true }).catch(ifNoFolder)
  const kept = inside.filter(({ name }) => wanted.has(name))
  for (const { path, target } of kept) if (target !== undefined) await symlink(target, path)
  for (const { path, mode } of kept) if (mode !== undefined) await chmod(path, mode)
}

/** The names of all folders that a name lies in. */
const foldersOf = (name: string) =>
  name
    .split('/')
    .slice(0, -1)
    .map((_, index, segments) => segments.slice(0, index + 1).join('/'))

/** A file has taken the place of a folder, whose content is gone with it. */
function ifNoFolder(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTDIR') throw error
}

async function feed(chunks: AsyncIterable<Buffer>, archive: Extract, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunks) if (!archive.write(chunk)) await once(archive, 'drain', { signal })
  archive.end(undefined)
}

function readHeader(file: string, text: string): Header {
  const any = AnyHeader.safeParse(parsed(text))
  if (!any.success) throw new UnusableBackup(file, 'it is no backup of this platform')
  if (any.data.format > FORMAT)
    throw new UnusableBackup(file, `a newer version of the platform wrote it (format ${any.data.format})`)
  const header = Header.safeParse(any.data)
  if (!header.success) throw new UnusableBackup(file, 'its header is damaged', header.error)
  return header.data
}

/** The segments of a name. None of them may lead elsewhere. */
function segmentsOf(file: string, name: string): string[] {
  const segments = name.replace(/\/$/, '').split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('\0')))
    throw new UnusableBackup(file, `it holds ${JSON.stringify(name)}`)
  return segments
}

async function textOf(entry: Entry, size: number): Promise<string> {
  if (size > MAX_TEXT_BYTES) throw new Error(`an index of ${size} bytes`)
  const chunks: Buffer[] = []
  for await (const chunk of entry) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** True when the disk, not the archive, is at fault. */
const isOurs = (error: unknown) =>
  ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'EIO', 'ENOENT', 'EISDIR', 'EMFILE'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )

function ifDirectory(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_FS_EISDIR') throw error
}
