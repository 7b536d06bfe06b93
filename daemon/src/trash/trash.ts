import { fail } from '@svc/shared/wire/errors.ts'
import { isTrashId, type TrashEntry, type TrashQuery } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { mayUndoDeletion, type Actor } from '../entry/actor.ts'
import { placedAt } from '../audit/evidence.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { stampOf } from '../files/file-stamp.ts'
import { inFolder, openOrMakeFolder, type OpenFolder } from '../files/open-folder.ts'
import { exists, moveFolder, moveToFree, finishMove } from '../files/place-file.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { changeVault } from '../vaults/change-vault.ts'
import { checkName, makeName, newFilePath, refuseTwin } from '../vaults/new-names.ts'
import { identityKey, isMarkdownName, newLengthProblem, parseVaultPath, splitPath } from '../files/vault-path.ts'
import type { RestoredFrom } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import { byCode, sortInSlices } from '../watch/sort-in-slices.ts'
import { noteInTrash, type TrashedNote } from './note-in-trash.ts'
import {
  entryIds,
  eraseEntry,
  filesBelow,
  findEntry,
  removeEntry,
  removeFromEntry,
  type StoredEntry,
  TRASH,
  trashFiles,
  withEntry,
} from './trash-entry.ts'

/** What was removed from a vault and can be restored. */
export type Trash = {
  /**
   * A page of the entries, the last deleted first, and where the next one begins. Only the entries of the page are read.
   * Stops once the signal is aborted.
   */
  list(vault: Vault, page: TrashQuery, signal: AbortSignal): Promise<Page>
  /** One entry; undefined if it is not in the trash. */
  find(vault: Vault, id: string): Promise<TrashEntry | undefined>
  /**
   * Restores a removed file to its path, or to `path`; returns the path used, and the baseline of a note. Never
   * overwrites another file.
   */
  restore(wish: { vault: Vault; id: string; path?: string | undefined; by: Actor }): Promise<Restored>
  /**
   * Removes a note that is back in another way, with the history of what it had: its entry, or its file from the entry
   * of its folder.
   */
  returned(note: TrashedNote & { vault: Vault }): Promise<void>
  /** Removes one entry permanently. */
  purge(wish: { vault: Vault; id: string; by: Actor }): Promise<void>
}

type Page = { entries: TrashEntry[]; nextCursor?: string | undefined }
type Restored = { path: string; baseline?: string }

// Most of the time of an entry is spent waiting for the disk.
const READ_AT_ONCE = 4

export function createTrash({ historyOf }: { historyOf: (vault: Vault) => Pick<NoteHistory, 'purge'> }): Trash {
  return {
    async list(vault, { limit, cursor }, signal) {
      const pause = slices(signal)
      const older = (await entryIds(vault)).filter((id) => isTrashId(id) && (cursor === undefined || id < cursor))
      const sorted = await sortInSlices(older, (a, b) => byCode(b, a), pause)
      const ids = sorted.slice(0, limit)
      const found: (TrashEntry | undefined)[] = []
      let next = 0
      const read = async () => {
        for (let at = next++; at < ids.length; at = next++) {
          found[at] = await findEntry(vault, ids[at]!)
          signal.throwIfAborted()
          await pause()
        }
      }
      await Promise.all(Array.from({ length: READ_AT_ONCE }, read))
      const entries = found.filter((entry) => entry !== undefined)
      return { entries, ...(sorted.length > limit && { nextCursor: ids.at(-1) }) }
    },

    find: findEntry,

    restore: ({ vault, id, path, by }) =>
      withEntry(vault, id, async (folder, entry) => {
        if (!mayUndoDeletion(by, { id: entry.deletedBy, person: entry.person })) throw fail('forbidden')
        // A file gets back its own name even if that name would be refused for a new file.
        const target = path === undefined ? parseVaultPath(entry.path) : await newFilePath(vault, path)
        const restore = inTurn(vault, id, async () => {
          const restored = target === entry.path ? undefined : { from: entry.path, deletion: id }
          await putBack({ vault, folder, target, by, kind: entry.kind, restored })
          // Without content it is no longer an entry, even if it cannot be removed now.
          await removeEntry(vault, id).catch(() => {})
          const facts = vault.manifest.file(target)?.facts
          return { path: target, ...(facts?.kind === 'note' && { baseline: facts.baseline }) }
        })
        return entry.kind === 'folder' ? vault.queue.runAlone(restore) : vault.queue.run(identityKey(target), restore)
      }),

    returned: ({ vault, ...note }) =>
      inQueue(vault, note.deletion, async () => {
        const left = await noteInTrash(vault, note)
        if (left?.isWholeEntry) await removeEntry(vault, note.deletion)
        else for (const { path } of left?.files ?? []) await removeFromEntry(vault, path)
      }),

    async purge({ vault, id, by }) {
      const purge = async (folder: OpenFolder, { path, kind, rescued }: StoredEntry) => {
        const evidence = { at: [...TRASH, id].join('/'), is: 'absent' as const }
        const remove = async (): Promise<boolean> => {
          await changeVault({ vault, mutation: { by, tool: 'purge', path }, evidence }, async () => {
            await eraseEntry(vault, id)
            return { result: true }
          })
          return true
        }
        // A file that is not text may have been a note with revisions, which this deletion ended.
        const withRevisions = isMarkdownName(path) && !rescued ? [path] : []
        const paths = kind === 'folder' ? (await filesBelow(folder, path)).filter(isMarkdownName) : withRevisions
        const fromTrash = kind === 'attachment' ? kind : undefined
        await historyOf(vault).purge({ paths, deletion: id, fromTrash }, remove)
      }
      await inQueue(vault, id, () => withEntry(vault, id, purge))
    },
  }
}

/** Work on one entry that is not done beside a revert, which works alone and may bring back what is in the trash. */
const inQueue = (vault: Vault, id: string, work: () => Promise<void>) =>
  vault.queue.run([...TRASH, id].join('/'), inTurn(vault, id, work))

/** Work on one entry that is done after other work on it, so that an entry is restored or purged, but not both. */
const inTurn =
  <T>({ queue }: Vault, id: string, work: () => Promise<T>) =>
  () =>
    queue.run(`/trash/${id}`, work)

type Return = {
  vault: Vault
  folder: OpenFolder
  target: string
  by: Actor
  kind: TrashEntry['kind']
  restored: RestoredFrom | undefined
}

async function putBack(wish: Return): Promise<void> {
  const restored = wish.kind === 'folder' ? await putFolderBack(wish) : await putFileBack(wish)
  if (!restored) throw fail('note_exists', { path: wish.target })
}

async function putFolderBack({ vault, folder, target, by, restored }: Return): Promise<true | undefined> {
  const root = vault.files
  const { folders, name } = splitPath(target)
  const mutation = { by, tool: 'restore', path: target }
  await refuseTwin(root, target)
  if (restored) await refuseLonger({ folder, from: restored.from, target })
  return changeVault({ vault, mutation, evidence: { at: target, is: 'folder' } }, () =>
    inFolder(openOrMakeFolder(root, folders), async (parent) => {
      // The rename would replace an empty folder at the target.
      if (await withFileFailures(() => exists(root.disk, parent.at(name)))) return undefined
      await moveFolder(root, { folder, name: trashFiles.content }, { folder: parent, name })
      await vault.restoredFolder({ path: target, by, restored })
      return { result: true as const }
    }),
  )
}

/** Refuses another path for a folder if a file below would get one that is too long for a new file. */
async function refuseLonger({ folder, from, target }: { folder: OpenFolder; from: string; target: string }) {
  if (Buffer.byteLength(target) <= Buffer.byteLength(from)) return
  const pause = slices()
  for (const path of await filesBelow(folder, target)) {
    const before = from + path.slice(target.length)
    if (newLengthProblem(path) !== undefined)
      throw fail('invalid_request', [{ path: 'path', message: `would make the path of ${before} too long` }])
    await pause()
  }
}

async function putFileBack({ vault, folder, target, by, restored }: Return): Promise<true | undefined> {
  const root = vault.files
  const content = folder.at(trashFiles.content)
  const { folders, name } = splitPath(target)
  const stamp = stampOf(await withFileFailures(() => root.disk.lstat(content)))
  const checked = await checkName(vault, target)

  const mutation = { by, tool: 'restore', path: target }
  return changeVault({ vault, mutation, evidence: placedAt(target, stamp) }, () =>
    makeName(vault, checked, () =>
      inFolder(openOrMakeFolder(root, folders), async (parent) => {
        if (!(await moveToFree(root, content, parent.at(name)))) return undefined
        await finishMove({ root, folder: parent, name }, content, stamp)
        await vault.restored({ path: target, by, restored })
        return { result: true as const }
      }),
    ),
  )
}
