import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { newName } from '../files/stage-file.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { kindInQueue } from '../notes/kind-of-file.ts'
import type { RecentVersions } from '../notes/recent-versions.ts'
import type { MoveToTrash } from '../trash/move-to-trash.ts'
import { attemptAt } from '../vaults/attempt-at.ts'
import { eraseFile, type Removal } from '../vaults/erase-file.ts'
import { isMarkdownName, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { attachmentBaseline } from './read-attachment.ts'
import { findAttachment } from './stored-attachment.ts'

type Deletion = { vault: Vault; path: VaultPath; baselines?: readonly string[] | undefined; by: Actor }

/** Deletes an attachment, to the trash or permanently. */
export type DeleteAttachment = {
  toTrash(deletion: Deletion): Promise<string>
  forGood(deletion: Deletion): Promise<string>
}

type Deps = {
  moveToTrash: MoveToTrash
  historyOf: (vault: Vault) => Pick<NoteHistory, 'purge'>
  versions: RecentVersions
}

export function createDeleteAttachment({ moveToTrash, historyOf, versions }: Deps): DeleteAttachment {
  const remove = async (
    { vault, path, baselines, by }: Deletion,
    how: (removal: Removal) => Promise<boolean>,
  ): Promise<string> => {
    // A revert brings back only what was known.
    await vault.listed
    return attemptAt(vault, path, async () => {
      const found = await findAttachment(vault, path)
      if (!found) throw fail('not_found')
      if ((await kindInQueue(vault, found.path)) === 'note')
        throw fail('invalid_request', [{ path: 'path', message: 'is the path of a note' }])
      const before = attachmentBaseline(found.stamp)
      if (baselines && !baselines.includes(before)) throw fail('stale_doc', { baseline: before })
      const removal = { vault, path: found.path, stamp: found.stamp, by, tool: 'delete_attachment', before }
      return (await how(removal)) ? found.path : undefined
    })
  }

  return {
    toTrash: (deletion) => remove(deletion, (removal) => moveToTrash({ ...removal, kind: 'attachment' })),
    async forGood(deletion) {
      const { vault } = deletion
      const path = await remove(deletion, (removal) => {
        const name = newName()
        // Before its bytes stopped being text, it may have been a note with revisions.
        const paths = isMarkdownName(removal.path) ? [removal.path] : []
        return historyOf(vault).purge({ paths, deletion: name }, () => eraseFile(removal, name))
      })
      versions.forget({ vault, path })
      return path
    },
  }
}
