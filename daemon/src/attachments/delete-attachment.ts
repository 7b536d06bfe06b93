import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { MoveToTrash } from '../trash/move-to-trash.ts'
import { newName } from '../files/stage-file.ts'
import { attemptAt } from '../vaults/attempt-at.ts'
import { eraseFile, type Removal } from '../vaults/erase-file.ts'
import type { VaultPath } from '../files/vault-path.ts'
import { isNote } from '../vaults/reading/is-note.ts'
import type { Vault } from '../vaults/vault.ts'
import { attachmentBaseline } from './read-attachment.ts'
import { findAttachment } from './stored-attachment.ts'

type Deletion = { vault: Vault; path: VaultPath; baselines?: readonly string[] | undefined; by: Actor }

/** Deletes an attachment, to the trash or permanently. */
export type DeleteAttachment = {
  toTrash(deletion: Deletion): Promise<string>
  forGood(deletion: Deletion): Promise<string>
}

export function createDeleteAttachment({ moveToTrash }: { moveToTrash: MoveToTrash }): DeleteAttachment {
  const remove = async (
    { vault, path, baselines, by }: Deletion,
    how: (removal: Removal) => Promise<boolean>,
  ): Promise<string> => {
    // A revert brings back only what was known.
    await vault.listed
    return attemptAt(vault, path, async () => {
      const found = await findAttachment(vault, path)
      if (!found) throw fail('not_found')
      if (await isNote({ manifest: vault.manifest, recheck: vault.recheckInQueue }, found.path))
        throw fail('invalid_request', [{ path: 'path', message: 'is the path of a note' }])
      const before = attachmentBaseline(found.stamp)
      if (baselines && !baselines.includes(before)) throw fail('stale_doc', { baseline: before })
      const removal = { vault, path: found.path, stamp: found.stamp, by, tool: 'delete_attachment', before }
      return (await how(removal)) ? found.path : undefined
    })
  }

  return {
    toTrash: (deletion) => remove(deletion, (removal) => moveToTrash({ ...removal, kind: 'attachment' })),
    forGood: (deletion) => remove(deletion, (removal) => eraseFile(removal, newName())),
  }
}
