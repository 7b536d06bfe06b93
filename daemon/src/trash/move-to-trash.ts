import type { Clock } from '@svc/shared/kit/clock.ts'
import { placedAt } from '../audit/evidence.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { takeAway } from '../files/place-file.ts'
import { changeVault } from '../vaults/change-vault.ts'
import type { Removal } from '../vaults/erase-file.ts'
import { splitPath } from '../files/vault-path.ts'
import { deleterOf, newEntryId, removeEmptyEntry, removeEntry, TRASH, trashFiles, writeEntry } from './trash-entry.ts'

/**
 * Moves a file to `.svc/trash/<id>/`, bytes and times unchanged. Returns false if the file has changed since the caller
 * read it. Runs inside the queue of its path.
 */
export type MoveToTrash = (removal: Removal & { kind: 'note' | 'attachment' }) => Promise<boolean>

export function createMoveToTrash({ clock }: { clock: Clock }): MoveToTrash {
  return async ({ vault, path, stamp, kind, by, tool, before }) => {
    const id = newEntryId(clock)
    const entry = { path, kind, deletedAt: clock.now().toISOString(), ...deleterOf(by) }
    const root = vault.files
    const { folders, name } = splitPath(path)
    const evidence = placedAt([...TRASH, id, trashFiles.content].join('/'), stamp)

    const take = () =>
      inFolder(openOrMakeFolder(root, [...TRASH, id]), (target) =>
        inFolder(openFolder(root, folders), async (folder) => {
          await writeEntry(root, target, entry)
          return takeAway({ root, folder, name }, stamp, { path: target.at(trashFiles.content), sync: target.sync })
        }),
      )

    const moved = await changeVault({ vault, mutation: { by, tool, path, before }, evidence }, async () => {
      const isTaken = await withFileFailures(take).catch(async (error: unknown) => {
        await removeEmptyEntry(vault, id)
        throw error
      })
      if (!isTaken) {
        await removeEntry(vault, id)
        return undefined
      }
      vault.removed({ path, by, deletion: id })
      return { result: true }
    })
    return moved ?? false
  }
}
