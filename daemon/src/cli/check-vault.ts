import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { blobNameOf } from '../files/baseline.ts'
import { readWhole } from '../files/open-file.ts'
import { UNFINISHED } from '../journal/recover-changes.ts'
import { isUnmounted } from '../files/mounted-folders.ts'
import { isMarkdownName, isVisibleName, pathProblem } from '../files/vault-path.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import { noteTextOf } from '../notes/decode-note.ts'

/** Something about a file that its owner should know. */
export type Finding = { path: string; problem: string }

/**
 * The content of a vault, read from the disk alone. `blobs`: the git hash of the content of each note. `away`: the
 * folders whose disk is away.
 */
export type DiskOfVault = {
  notes: string[]
  attachments: string[]
  blobs: Map<string, string>
  away: string[]
  /** Files that cannot be served or read. */
  broken: Finding[]
  /** Files that are served, but not as their owner may expect. */
  remarks: Finding[]
}

const LEFT =
  'holds the files of a change that was interrupted and cannot be understood. Take what is missing, then remove it'

type Vault = {
  root: string
  maxNoteBytes: number
  /** Folders that were separate disks. */
  mounted: readonly string[]
}

/** Reads every file of a vault and reports what the daemon can do with it. Changes nothing. */
export async function readDisk({ root, maxNoteBytes, mounted }: Vault): Promise<DiskOfVault> {
  const disk: DiskOfVault = { notes: [], attachments: [], blobs: new Map(), away: [], broken: [], remarks: [] }
  await walk('')
  for (const name of await readdir(join(root, '.svc')).catch(() => []))
    if (name.startsWith(UNFINISHED)) disk.broken.push({ path: `.svc/${name}`, problem: LEFT })
  return disk

  async function walk(folder: string): Promise<void> {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: Error) => {
      disk.broken.push({ path: folder || '.', problem: `cannot be listed: ${error.message}` })
      return []
    })
    for (const entry of entries.filter(({ name }) => isVisibleName(name))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const problem = pathProblem(path) ?? (path.includes('\uFFFD') ? 'has a name that is not UTF-8' : undefined)
      if (problem !== undefined) disk.broken.push({ path, problem: `${problem}: it is not served` })
      else if (entry.isDirectory()) await walkIfThere(path)
      else if (entry.isFile()) await readFile(path)
      else disk.remarks.push({ path, problem: 'is a link or a device, not a file: it is not served' })
    }
  }

  async function walkIfThere(folder: string): Promise<void> {
    if (!mounted.includes(folder) || !(await isUnmounted(root, folder))) return walk(folder)
    disk.away.push(folder)
    const problem =
      'is a disk that is not mounted; what is known of its files is kept. Remove the folder to give them up'
    disk.broken.push({ path: folder, problem })
  }

  async function readFile(path: string): Promise<void> {
    const { size } = await lstat(join(root, path)).catch(() => ({ size: 0 }))
    const isLarge = isMarkdownName(path) && size > maxNoteBytes
    if (isLarge) disk.remarks.push({ path, problem: 'is larger than a note may be: it is an attachment' })
    const seen = await readWhole(root, path, isMarkdownName(path) && !isLarge ? maxNoteBytes : 0).catch(
      (error: { code?: string; message: string }) => {
        // For an attachment, opening the file is enough.
        if (error.code !== 'payload_too_large') disk.broken.push({ path, problem: `cannot be read: ${error.message}` })
      },
    )
    const text = seen && noteTextOf(path, seen.bytes)
    if (!seen || text === undefined) {
      if (seen && isMarkdownName(path)) disk.remarks.push({ path, problem: 'is not UTF-8: it is an attachment' })
      disk.attachments.push(path)
      return
    }
    disk.notes.push(path)
    disk.blobs.set(path, blobNameOf(seen.bytes))
    const { problem } = readNoteFacts(path, seen.bytes, text)
    if (problem !== undefined) disk.remarks.push({ path, problem: `has properties that cannot be read: ${problem}` })
  }
}

/** The notes whose newest revision differs from the disk; undefined when there is no readable history. */
export async function behindHistory(
  gitDir: string,
  { blobs, away }: DiskOfVault,
  searchPath: string,
): Promise<string[] | undefined> {
  const args = [`--git-dir=${gitDir}`, 'ls-tree', '-r', '-z', 'refs/heads/main']
  const options = {
    env: { PATH: searchPath, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' },
    maxBuffer: 256 * 1024 * 1024,
  }
  const listing = await promisify(execFile)('git', args, options).catch(() => undefined)
  if (!listing) return undefined
  const committed = new Map(
    listing.stdout
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.split(/[ \t]/)[2]] as const),
  )
  const changed = [...blobs].filter(([path, blob]) => committed.get(path) !== blob).map(([path]) => path)
  const gone = [...committed.keys()].filter((path) => !blobs.has(path) && !isBelow(away, path))
  return [...changed, ...gone].toSorted()
}

/** True for a path below one of the folders. */
export const isBelow = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`))
