import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { actorId, type Actor } from '../audit/actor.ts'
import { writeJsonFile } from '../files/durable-file.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { splitPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'

/** Names in the folder of one removed file. */
export const trashFiles = { entry: 'entry.json', content: 'content' } as const

type Removal = { vault: Vault; path: string; kind: 'note' | 'attachment'; by: Actor }

/** Moves a file to `.svc/trash/<id>/`, bytes and times unchanged; answers the id. Runs inside the queue of its path. */
export type MoveToTrash = (removal: Removal) => Promise<string>

/** Makes the verb. */
export function moveToTrash({ clock }: { clock: Clock }): MoveToTrash {
  return async ({ vault, path, kind, by }) => {
    const now = clock.now()
    // Ids sort by time; the random part keeps two of one millisecond apart.
    const id = `${now.getTime().toString(36)}-${randomBytes(5).toString('hex')}`
    const { folders, name } = splitPath(path)
    await withFileFailures(async () => {
      const source = await openFolder(vault.layout.root, folders)
      const target = await openOrMakeFolder(vault.layout.root, ['.svc', 'trash', id])
      try {
        // The entry comes first: content without an entry could not be restored, an entry without content is ignored.
        await writeJsonFile(target.at('.'), trashFiles.entry, {
          path,
          kind,
          deletedAt: now.toISOString(),
          deletedBy: actorId(by),
        })
        await rename(source.at(name), target.at(trashFiles.content))
        await target.sync()
        await source.sync()
      } finally {
        await source.close()
        await target.close()
      }
    })
    return id
  }
}
