import { z } from 'zod'
import { MAX_CHUNK_BYTES } from '@svc/shared/wire/daemon/backup-frames.ts'
import { BackupId, ChunkName, BACKUP_FORMAT } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { slices } from '../watch/slices.ts'
import { isRestorable } from './backed-up-path.ts'
import { backupBroken } from './backup-broken.ts'

const count = z.number().int().min(0)

/** Where some bytes of a file are stored: in a chunk, from an offset, with a length. */
export const Piece = z.tuple([ChunkName, count.max(MAX_CHUNK_BYTES), count.max(MAX_CHUNK_BYTES)])
export type Piece = z.infer<typeof Piece>

const Head = z.object({ format: z.literal(BACKUP_FORMAT), backupId: BackupId, takenAt: z.iso.datetime() })
const File = z.object({
  path: z.string().refine(isRestorable),
  size: count,
  mode: count.max(0o777),
  /** Negative before 1970. */
  mtimeMs: z.number(),
  /** Inode and time of the last change, to recognize the file on the same disk. */
  stamp: z.tuple([z.number(), z.number()]),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  pieces: z.array(Piece),
})
/** Further pieces of the file before, if they are too many for one line. */
const More = z.object({ more: z.array(Piece) })
const Folder = z.object({
  folder: z.string().refine((path) => path === 'vaults' || path === 'daemon' || isRestorable(path)),
})
const End = z.object({ end: z.object({ files: count, bytes: count }) })

export type FileEntry = z.infer<typeof File>
/** The content of a backup. Folders are listed before their content. */
export type Manifest = { head: z.infer<typeof Head>; files: Map<string, FileEntry>; folders: string[] }

const MAX_ENTRIES = 2_000_000
const PART_BYTES = 1024 * 1024
/** A line stays below a megabyte: a part must fit into a chunk. */
const PIECES_PER_LINE = 8192

/** True for a file that a manifest can hold: one that `decodeManifest` accepts. */
export const fitsManifest = (file: FileEntry): boolean => File.safeParse(file).success && isWhole(file)

/**
 * The manifest in parts of about a megabyte: a line of JSON each for head, folders, files and end. Throws
 * payload_too_large for a home with more entries than `decodeManifest` accepts.
 */
export async function* encodeManifest({ head, files, folders }: Manifest): AsyncGenerator<Buffer> {
  if (Math.max(files.size, folders.length) > MAX_ENTRIES) throw fail('payload_too_large', { maxEntries: MAX_ENTRIES })
  let lines: string[] = [JSON.stringify(head)]
  let length = 0
  let bytes = 0
  const pause = slices()
  const add = (value: object) => {
    const line = JSON.stringify(value)
    lines.push(line)
    length += Buffer.byteLength(line)
  }
  const part = () => {
    const text = Buffer.from(`${lines.join('\n')}\n`)
    lines = []
    length = 0
    return text
  }
  for (const folder of folders) {
    add({ folder })
    if (length > PART_BYTES) yield part()
  }
  for (const file of files.values()) {
    add({ ...file, pieces: file.pieces.slice(0, PIECES_PER_LINE) })
    bytes += file.size
    for (let at = PIECES_PER_LINE; at < file.pieces.length; at += PIECES_PER_LINE) {
      if (length > PART_BYTES) yield part()
      add({ more: file.pieces.slice(at, at + PIECES_PER_LINE) })
    }
    if (length > PART_BYTES) yield part()
    await pause()
  }
  add({ end: { files: files.size, bytes } })
  yield part()
}

/** Reads a manifest; throws backup_broken if it is invalid or names a path outside the home. */
export async function decodeManifest(parts: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Manifest> {
  const files = new Map<string, FileEntry>()
  const folders = new Set<string>()
  const pause = slices()
  let head: Manifest['head'] | undefined
  let last: FileEntry | undefined
  let bytes = 0
  let end: z.infer<typeof End>['end'] | undefined
  for await (const line of linesOf(parts)) {
    const value = parseLine(line)
    if (end !== undefined) throw backupBroken('ManifestInvalid')
    if (head === undefined) head = checked(Head, value)
    else if ('path' in value) {
      last = checked(File, value)
      if (files.has(last.path) || files.size >= MAX_ENTRIES) throw backupBroken('ManifestInvalid')
      bytes += last.size
      files.set(last.path, last)
    } else if ('more' in value) {
      if (last === undefined) throw backupBroken('ManifestInvalid')
      last.pieces.push(...checked(More, value).more)
    } else if ('folder' in value) folders.add(checked(Folder, value).folder)
    else end = checked(End, value).end
    await pause()
  }
  if (head === undefined || end?.files !== files.size || end.bytes !== bytes || folders.size > MAX_ENTRIES)
    throw backupBroken('ManifestInvalid')
  for (const [path, file] of files)
    if (!folders.has(path.slice(0, path.lastIndexOf('/'))) || folders.has(path) || !isWhole(file))
      throw backupBroken('ManifestInvalid')
  for (const path of folders)
    if (path.includes('/') && !folders.has(path.slice(0, path.lastIndexOf('/')))) throw backupBroken('ManifestInvalid')
  return { head, files, folders: [...folders].toSorted() }
}

const isWhole = ({ size, pieces }: FileEntry): boolean => pieces.reduce((sum, [, , length]) => sum + length, 0) === size

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw backupBroken('ManifestInvalid', parsed.error)
  return parsed.data
}

function parseLine(line: string): object {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    throw backupBroken('ManifestInvalid', error)
  }
  throw backupBroken('ManifestInvalid')
}

// Each part ends with a line, so no line is split over two parts.
async function* linesOf(parts: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<string> {
  for await (const part of parts) for (const line of part.toString('utf8').split('\n')) if (line !== '') yield line
}
