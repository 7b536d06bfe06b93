import { fail } from '@svc/shared/wire/errors.ts'
import type { TrashEntry } from '@svc/shared/wire/daemon.api.ts'
import { mayUndoDeletion, type Actor } from '../audit/actor.ts'
import { placedAt } from '../audit/evidence.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { stampOf } from '../files/open-file.ts'
import { inFolder, openOrMakeFolder, type OpenFolder } from '../files/open-folder.ts'
import { moveToFree, settleMoved } from '../files/place-file.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { changeVault } from '../vaults/change-vault.ts'
import { refuseTwin } from '../vaults/refuse-twin.ts'
import { identityKey, parseNewPath, parseVaultPath, splitPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { entryIds, findEntry, removeEntry, TRASH, trashFiles, withEntry } from './trash-entry.ts'

/** What was removed from a vault and can be had back. */
export type Trash = {
  list(vault: Vault): Promise<TrashEntry[]>
  /** Puts a removed file back where it was, or at `path`; answers where. Never over another file. */
  restore(wish: { vault: Vault; id: string; path?: string | undefined; by: Actor }): Promise<string>
  /** Removes one entry for good. */
  purge(wish: { vault: Vault; id: string; by: Actor }): Promise<void>
}

/** Makes the verbs of the trash. */
export function trash({ historyOf }: { historyOf: (vault: Vault) => Pick<NoteHistory, 'purge'> }): Trash {
  return {
    async list(vault) {
      const entries: TrashEntry[] = []
      for (const id of await entryIds(vault)) {
        const entry = await findEntry(vault, id)
        if (entry) entries.push(entry)
      }
      return entries.sort((a, b) => (a.id < b.id ? 1 : -1))
    },

    restore: ({ vault, id, path, by }) =>
      withEntry(vault, id, (folder, entry) => {
        if (!mayUndoDeletion(by, entry.deletedBy)) throw fail('forbidden')
        // A file that was here under a name we would not make now still goes back under it.
        const target = path === undefined ? parseVaultPath(entry.path) : parseNewPath(path)
        return vault.queue.run(identityKey(target), async () => {
          await putBack({ vault, folder, target, by })
          // The entry has no content any more, so it is none: the next start may remove what is left of it.
          await removeEntry(vault, id).catch(() => {})
          return target
        })
      }),

    purge: ({ vault, id, by }) =>
      withEntry(vault, id, async (_folder, { path, kind }) => {
        const evidence = { at: [...TRASH, id].join('/'), is: 'absent' as const }
        const remove = async () => {
          await changeVault({ vault, deed: { by, tool: 'purge', path }, evidence }, async () => {
            await removeEntry(vault, id)
            return { result: true }
          })
          return true
        }
        if (kind === 'attachment') await remove()
        else await historyOf(vault).purge({ path, deletion: id }, remove)
      }),
  }
}

type Return = { vault: Vault; folder: OpenFolder; target: string; by: Actor }

async function putBack({ vault, folder, target, by }: Return): Promise<void> {
  const root = vault.files
  const content = folder.at(trashFiles.content)
  const { folders, name } = splitPath(target)
  const stamp = stampOf(await withFileFailures(() => root.disk.lstat(content)))
  await refuseTwin(root, target)

  const deed = { by, tool: 'restore', path: target }
  const restored = await changeVault({ vault, deed, evidence: placedAt(target, stamp) }, () =>
    vault.queue.run('/new', async () => {
      await refuseTwin(root, target)
      return inFolder(openOrMakeFolder(root, folders), async (parent) => {
        if (!(await moveToFree(root, content, parent.at(name)))) return undefined
        await settleMoved({ root, folder: parent, name }, content, stamp)
        await vault.restored(target, by)
        return { result: true }
      })
    }),
  )
  if (!restored) throw fail('note_exists', { path: target })
}
