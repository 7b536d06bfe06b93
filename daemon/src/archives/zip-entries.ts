import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { fail } from '@svc/shared/wire/errors.ts'
import { FOLDERS_FILE } from '../journal/move-intent.ts'
import { identityKey, newLengthProblem, pathProblem } from '../files/vault-path.ts'

/** The content of an archive, checked as a whole before any of it is written. */
export type ArchiveContents = {
  files: { path: string; entry: Entry }[]
  folders: string[]
  bytes: number
  skipped: string[]
}

export type ArchiveLimits = { maxBytes: number; maxEntries: number }

type Kind = 'file' | 'folder'

const UTF8_FLAG = 0x800
const UNIX = 3
const FILE_TYPES: Record<number, Kind | undefined> = { 0: 'file', 0o100000: 'file', 0o040000: 'folder' }
const MAX_SETTINGS = 1024 * 1024

/**
 * Reads the directory of an archive. Fails if an entry leads out of the vault, is not a regular file, has a path too long
 * for a backup, or differs from another name only in case or normal form. Skips hidden files.
 */
export async function archiveContents(
  entries: AsyncIterable<Entry>,
  { maxBytes, maxEntries }: ArchiveLimits,
): Promise<ArchiveContents> {
  const contents: ArchiveContents = { files: [], folders: [], bytes: 0, skipped: [] }
  const names = nameTable()
  let count = 0
  for await (const entry of entries) {
    if (++count > maxEntries) throw fail('payload_too_large', { maxEntries })
    const kind = kindOf(entry)
    const path = pathOf(entry)
    if (path === '.') continue
    if (isHidden(path)) {
      contents.skipped.push(path)
      continue
    }
    const problem = path === FOLDERS_FILE ? undefined : (pathProblem(path) ?? newLengthProblem(path))
    if (problem !== undefined) throw refused(path, problem)
    names.take(path, kind)
    if (kind === 'folder') {
      contents.folders.push(path)
      continue
    }
    if (!entry.canDecodeFileData()) throw refused(path, 'is encrypted, or packed in a way that is not supported')
    if (path === FOLDERS_FILE && entry.uncompressedSize > MAX_SETTINGS) throw refused(path, 'is too large')
    contents.bytes += entry.uncompressedSize
    if (contents.bytes > maxBytes) throw fail('payload_too_large', { maxBytes })
    contents.files.push({ path, entry })
  }
  return contents
}

/**
 * The content of an entry. The library unpacks ahead of the reader, so a damaged entry may fail before anything reads
 * it. The error then waits for the reader instead of being an uncaught exception.
 */
export async function openEntry(zip: Pick<ZipFile, 'openReadStreamPromise'>, entry: Entry): Promise<Readable> {
  const content = await zip.openReadStreamPromise(entry)
  return content.on('error', () => {})
}

function kindOf(entry: Entry): Kind {
  const { fileName, fileNameRaw, generalPurposeBitFlag, versionMadeBy, externalFileAttributes } = entry
  if (generalPurposeBitFlag & UTF8_FLAG && !isUtf8(fileNameRaw)) throw refused(fileName, 'has a name that is not UTF-8')
  if (fileName.endsWith('/')) return 'folder'
  const type = versionMadeBy >>> 8 === UNIX ? (externalFileAttributes >>> 16) & 0o170000 : 0
  const kind = FILE_TYPES[type]
  if (kind !== 'file') throw refused(fileName, 'is a link or a device, not a file')
  return kind
}

/** The path in the vault. Some archivers begin each name with the folder that they pack. */
const pathOf = ({ fileName }: Entry): string => fileName.replace(/^(?:\.\/)+(?!$)/, '').replace(/\/$/, '')

/** Skips hidden names, and what the macOS archiver adds. */
function isHidden(path: string): boolean {
  if (path === FOLDERS_FILE) return false
  const segments = path.split('/')
  return segments[0] === '__MACOSX' || segments.some((name) => /^\.(?!\.?$)/.test(name))
}

/** Finds names of files and folders that some file systems would treat as the same name. */
function nameTable() {
  const known = new Map<string, { path: string; kind: Kind; isNamed: boolean }>()
  function put(path: string, kind: Kind, isNamed: boolean): void {
    const before = known.get(identityKey(path))
    if (before && (before.path !== path || before.kind !== kind)) throw fail('path_conflict', { existing: before.path })
    if (before?.isNamed && isNamed && kind === 'file') throw refused(path, 'is there twice')
    known.set(identityKey(path), { path, kind, isNamed: isNamed || (before?.isNamed ?? false) })
  }
  return {
    take(path: string, kind: Kind): void {
      for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
        put(path.slice(0, slash), 'folder', false)
      put(path, kind, true)
    },
  }
}

function refused(path: string, message: string) {
  return fail('invalid_request', [{ path: `body: ${path.slice(0, 300).toWellFormed()}`, message }])
}
