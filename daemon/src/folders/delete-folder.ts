import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { moveFolder } from '../files/place-file.ts'
import { deleterOf, newEntryId, removeEmptyEntry, TRASH, trashFiles, writeEntry } from '../trash/trash-entry.ts'
import { changeVault } from '../vaults/change-vault.ts'
import { refuseUnsaved } from '../vaults/live-notes.ts'
import { folderOnDisk } from '../vaults/new-names.ts'
import { splitPath, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'

type Deletion = { vault: Vault; path: VaultPath; by: Actor }

/** Moves a folder with its content to the trash, as one entry. Returns the path that it had on disk. */
export type DeleteFolder = (deletion: Deletion) => Promise<VaultPath>

/** Runs exclusively: otherwise a write into the folder would end in the trash and look stored. */
export function createDeleteFolder({ clock }: { clock: Clock }): DeleteFolder {
  return async ({ vault, path: asked, by }) => {
    // Only then is everything below the folder known. Not inside the queue, where every other change would wait.
    await vault.listed
    return vault.queue.runAlone(async () => {
      const path = await folderOnDisk(vault, asked)
      refuseUnsaved(await vault.live.saveAll(), [path])
      await remove({ vault, path, by }, clock)
      return path
    })
  }
}

async function remove({ vault, path, by }: Deletion, clock: Clock): Promise<void> {
  const root = vault.files
  const { folders, name } = splitPath(path)
  await root.mounted.refuseAwayBelow(path)
  await inFolder(openFolder(root, path.split('/')), async () => {}).catch((error: unknown) => {
    throw isFailure(error, 'invalid_request') ? fail('not_found') : error
  })

  const id = newEntryId(clock)
  const entry = { path, kind: 'folder' as const, deletedAt: clock.now().toISOString(), ...deleterOf(by) }
  const evidence = { at: [...TRASH, id, trashFiles.content].join('/'), is: 'folder' as const }
  await changeVault({ vault, mutation: { by, tool: 'delete_folder', path }, evidence }, async () => {
    const going = await vault.below(path)
    try {
      await inFolder(openOrMakeFolder(root, [...TRASH, id]), (target) =>
        inFolder(openFolder(root, folders), async (parent) => {
          await writeEntry(root, target, entry)
          await moveFolder(root, { folder: parent, name }, { folder: target, name: trashFiles.content })
        }),
      )
    } catch (error) {
      await removeEmptyEntry(vault, id)
      throw error
    }
    await vault.removedFolder({ ...going, by, deletion: id })
    return { result: true }
  })
}
