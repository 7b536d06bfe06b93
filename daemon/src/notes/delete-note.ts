import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../audit/actor.ts'
import { openFolder } from '../files/open-folder.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { MoveToTrash } from '../trash/move-to-trash.ts'
import { identityKey, splitPath, type VaultPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import type { RecentVersions } from './recent-versions.ts'
import { storedNote } from './stored-note.ts'

type Deletion = { vault: Vault; path: VaultPath; baseline?: string | undefined; by: Actor; tool: string }
type Deleted = { path: string; trashed: boolean }

/** Removes a note, to the trash or for good. A baseline, where given, must be the current one. */
export type DeleteNote = {
  toTrash(deletion: Deletion): Promise<Deleted>
  forGood(deletion: Deletion): Promise<Deleted>
}

/** Makes both verbs. */
export function deleteNote({
  moveToTrash,
  historyOf,
  versions,
  maxNoteBytes,
}: {
  moveToTrash: MoveToTrash
  historyOf: (vault: Vault) => Pick<NoteHistory, 'purge'>
  versions: RecentVersions
  maxNoteBytes: number
}): DeleteNote {
  const remove = (deletion: Deletion, how: (path: string) => Promise<string>) => {
    const { vault, path, baseline, by, tool } = deletion
    return vault.queue.run(identityKey(path), async () => {
      const note = await storedNote({ vault, path, maxNoteBytes })
      if (baseline !== undefined && baseline !== note.baseline) throw fail('stale_doc', { baseline: note.baseline })
      const name = await how(note.path)
      vault.removed({ path: note.path, by, deletion: name })
      await vault.audit.record({ by, tool, path: note.path, before: note.baseline })
      return note.path
    })
  }

  return {
    async toTrash(deletion) {
      const { vault, by } = deletion
      const path = await remove(deletion, (path) => moveToTrash({ vault, path, kind: 'note', by }))
      return { path, trashed: true }
    },
    async forGood(deletion) {
      const { vault } = deletion
      const path = await remove(deletion, async (path) => {
        const name = randomBytes(12).toString('hex')
        await historyOf(vault).purge({ path, deletion: name }, () => removeFile(vault.layout.root, path))
        return name
      })
      versions.forget({ vault, path })
      return { path, trashed: false }
    },
  }
}

/** Removes a file of a vault for good and makes that durable. */
export async function removeFile(root: string, path: string): Promise<void> {
  const { folders, name } = splitPath(path)
  const folder = await openFolder(root, folders)
  try {
    await rm(folder.at(name))
    await folder.sync()
  } finally {
    await folder.close()
  }
}
