import { randomUUID } from 'node:crypto'
import { extname, join } from 'node:path'
import type { Actor } from '../entry/actor.ts'
import { isSameFile, otherStamp, type FileStamp } from '../files/file-stamp.ts'
import { removeEntry } from '../trash/trash-entry.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import { folderStampAt, stampAt } from '../watch/list-folder.ts'
import { inTellingOrder } from './settle-places.ts'

/** A note that a revert has written. */
type Written = { path: string; bytes: Buffer; stamp: FileStamp; written: WrittenLines }

/**
 * What a revert has done. Notes that were written or moved are named by their paths before it, created ones by their
 * own.
 */
export type MadeRevert = {
  edited: Written[]
  created: Written[]
  /** Notes that come back at another path than `path`, where they were deleted. */
  returned: (Written & { to: string })[]
  trashed: { path: string; deletion: string }[]
  /** Attachments that are back from the trash. */
  restored: { path: string; deletion: string }[]
  /** The deletions of notes that are back, and in the trash no more. */
  emptyEntries: string[]
  moved: { from: string; to: string }[]
  /** Folders that are back, and whether nothing was left in them where they were. */
  folders: { path: string; to: string; isEmptied: boolean }[]
  /** Folders that were removed if nothing was in them. */
  emptied: readonly string[]
  /** Notes in which only links were rewritten, for a move or an edit. */
  rewritten: string[]
}

/** Notifies everybody who follows the vault of what a revert has done. Runs while nothing else changes the vault. */
export async function announceRevert({ vault, by, made }: { vault: Vault; by: Actor; made: MadeRevert }) {
  // A move changes the ctime of a file. A later write by another program shows in its stamp.
  const stampNow = async ({ path, stamp }: Written): Promise<FileStamp> => {
    const now = await stampAt(join(vault.layout.root, path)).catch(() => undefined)
    return now && isSameFile(now, stamp) ? now : otherStamp(stamp)
  }
  // A note leaves its path before another one takes it.
  for (const { path, deletion } of made.trashed) vault.removed({ path, by, deletion })
  // A note that moves back is first announced as changed, so that its lines get their authors.
  for (const note of made.edited) await vault.wrote({ ...note, stamp: await stampNow(note), created: false, by })
  const { returned, created } = dividedReturns(vault, made)
  for (const { to: _to, ...note } of returned)
    await vault.wrote({ ...note, stamp: otherStamp(note.stamp), created: true, by })
  const returns = returned.map(({ path, to }) => ({ from: path, to }))
  const moved = inTellingOrder([...made.moved, ...returns], (path) => `${randomUUID()}${extname(path)}`)
  const last = moved.at(-1)
  for (const move of moved) {
    const rewritten = move === last ? made.rewritten : []
    await vault.moved({ ...move, folders: [], files: [move.from], rewritten, by })
  }
  // Inner folders leave before outer ones.
  for (const { path, to, isEmptied } of made.folders.toSorted((a, b) => b.path.length - a.path.length)) {
    const isGone = isEmptied && !(await folderStampAt(join(vault.layout.root, path)))
    if (isGone) await vault.moved({ from: path, to, folders: [path], files: [], rewritten: [], by })
    else vault.madeFolder(to, by)
  }
  for (const { path, deletion } of made.restored) {
    await vault.restored({ path, by })
    // Without content it is not an entry any more, whether or not it can be removed now.
    await removeEntry(vault, deletion).catch(() => {})
  }
  for (const deletion of made.emptyEntries) await removeEntry(vault, deletion).catch(() => {})
  for (const path of made.emptied.toReversed())
    if (!(await folderStampAt(join(vault.layout.root, path)))) vault.removedEmptyFolder(path, by)
  for (const note of [...made.created, ...created])
    await vault.wrote({ ...note, stamp: await stampNow(note), created: true, by })
}

/**
 * Notes that can be announced as moved from the path where they were deleted, which continues their history. A note
 * whose path another one has by now is announced as created where it is: everything that is announced of that path
 * would change the other note.
 */
function dividedReturns({ manifest }: Vault, { returned: notes }: MadeRevert) {
  const returned = new Map<string, MadeRevert['returned'][number]>()
  const created: Written[] = []
  for (const note of notes) {
    const { to, ...written } = note
    const { path } = written
    const isTaken = manifest.hasFile(path) || manifest.hasFolder(path) || returned.has(path)
    if (isTaken) created.push({ ...written, path: to })
    else returned.set(path, note)
  }
  return { returned: [...returned.values()], created }
}
