import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { fail } from '@svc/shared/wire/errors.ts'
import { FOLDERS_FILE } from '../journal/move-intent.ts'
import { identityKey, newLengthProblem, pathProblem } from '../files/vault-path.ts'

/** A file of an archive, and its path in the vault. */
export type ArchiveFile = { path: string; entry: Entry }

/** The content of an archive, checked as a whole before any of it is written. */
export type ArchiveContents = {
  files: ArchiveFile[]
  folders: string[]
  bytes: number
  skipped: string[]
}

export type ArchiveLimits = { maxBytes: number; maxEntries: number }

type Kind = 'file' | 'folder'

const UTF8_FLAG = 0x800
const CONTROLS = /[^\P{Cc}\u0080-\u009f]/gu
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
  const nameOf = await nameReader()
  let count = 0
  for await (const entry of entries) {
    if (++count > maxEntries) throw fail('payload_too_large', { maxEntries })
    const name = nameOf(entry)
    const kind = kindOf(entry, name)
    const path = pathOf(name)
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

/**
 * Reads the name of an entry. Without the flag for UTF-8, a name should be in code page 437, but macOS and others write
 * UTF-8 without it. Text of that code page is hardly ever UTF-8.
 */
async function nameReader(): Promise<(entry: Entry) => string> {
  const { getFileNameLowLevel } = await import('yauzl')
  const inCodePage = (raw: Buffer) => getFileNameLowLevel(0, raw, [], true)
  return ({ fileName, fileNameRaw, generalPurposeBitFlag }) => {
    if (generalPurposeBitFlag & UTF8_FLAG || !isUtf8(fileNameRaw)) return fileName
    // The archive has the name in UTF-8 too, in a field of its own.
    if (fileName !== inCodePage(fileNameRaw)) return fileName
    // macOS has files named `Icon\r`. No vault can have that name, so they keep the sign that the code page has for it.
    return fileNameRaw.toString('utf8').replace(CONTROLS, (control) => inCodePage(Buffer.from(control)))
  }
}

function kindOf(entry: Entry, name: string): Kind {
  const { fileNameRaw, generalPurposeBitFlag, versionMadeBy, externalFileAttributes } = entry
  if (generalPurposeBitFlag & UTF8_FLAG && !isUtf8(fileNameRaw)) throw refused(name, 'has a name that is not UTF-8')
  if (name.endsWith('/')) return 'folder'
  const type = versionMadeBy >>> 8 === UNIX ? (externalFileAttributes >>> 16) & 0o170000 : 0
  const kind = FILE_TYPES[type]
  if (kind !== 'file') throw refused(name, 'is a link or a device, not a file')
  return kind
}

/** The path in the vault. Some archivers begin each name with the folder that they pack. */
const pathOf = (name: string): string => name.replace(/^(?:\.\/)+(?!$)/, '').replace(/\/$/, '')

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
