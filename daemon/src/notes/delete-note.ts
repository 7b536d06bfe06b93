import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { newName } from '../files/stage-file.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { MoveToTrash } from '../trash/move-to-trash.ts'
import { attemptAt } from '../vaults/attempt-at.ts'
import { eraseFile, type Removal } from '../vaults/erase-file.ts'
import type { VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import type { RecentVersions } from './recent-versions.ts'
import { storedNote } from './stored-note.ts'

type Deletion = { vault: Vault; path: VaultPath; baseline?: string | undefined; by: Actor; tool: string }
type Deleted = { path: string; trashed: boolean }

/** Removes a note, to the trash or permanently. A baseline, if given, must be the current one. */
export type DeleteNote = {
  toTrash(deletion: Deletion): Promise<Deleted>
  forGood(deletion: Deletion): Promise<Deleted>
}

type Deps = {
  moveToTrash: MoveToTrash
  historyOf: (vault: Vault) => Pick<NoteHistory, 'purge'>
  versions: RecentVersions
  maxNoteBytes: number
}

export function createDeleteNote({ moveToTrash, historyOf, versions, maxNoteBytes }: Deps): DeleteNote {
  const remove = async (deletion: Deletion, how: (removal: Removal) => Promise<boolean>) => {
    const { vault, path, baseline, by, tool } = deletion
    // A listing that has seen the note would take it for one that another program has deleted.
    await vault.listed
    return attemptAt(vault, path, async () => {
      const note = await storedNote({ vault, path, maxNoteBytes })
      if (baseline !== undefined && baseline !== note.baseline) throw fail('stale_doc', { baseline: note.baseline })
      const removal = { vault, path: note.path, stamp: note.stamp, by, tool, before: note.baseline }
      return (await how(removal)) ? note.path : undefined
    })
  }

  return {
    async toTrash(deletion) {
      const path = await remove(deletion, (removal) => moveToTrash({ ...removal, kind: 'note' }))
      return { path, trashed: true }
    },
    async forGood(deletion) {
      const { vault } = deletion
      const path = await remove(deletion, (removal) => {
        const name = newName()
        return historyOf(vault).purge({ paths: [removal.path], deletion: name }, () => eraseFile(removal, name))
      })
      versions.forget({ vault, path })
      // A restart would otherwise rescue the text of the live session that has just ended.
      await vault.live.logged()
      return { path, trashed: false }
    },
  }
}
