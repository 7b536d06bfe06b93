import type { NoteRef, Revision } from '../api/daemon-client.ts'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { takeBack } from './take-back.ts'

/** The ways to restore an older text of a note. Each creates a new version; `done` is called when it is saved. */
export function useRestore(ref: NoteRef, done: () => void) {
  const { client } = useServices()
  const { sessions, refreshTree, announce } = useVault()

  const restore = async (save: () => Promise<string>) => {
    if (sessions.find(ref.path)?.hasUnsent())
      return announce('This note has text that is not saved yet. Save it, then restore.')
    try {
      const said = await save()
      refreshTree()
      announce(said)
    } catch (thrown) {
      announce(failureText(asRefusal(thrown)).title)
    }
  }

  return {
    version: (revision: Revision) =>
      restore(async () => {
        const baseline = await client.readNote(ref).then(
          (note) => note.baseline,
          (thrown: unknown) => {
            if (asRefusal(thrown).code === 'not_found') return undefined
            throw thrown
          },
        )
        await client.restoreRevision(ref, revision.rev, baseline)
        done()
        return `Restored the version of ${new Date(revision.at).toLocaleString()}`
      }),

    /** Undoes one change of a version and keeps all other changes. */
    undo: (texts: { before: string; after: string }, hunk: number) =>
      restore(async () => {
        const { content, baseline } = await client.readNote(ref)
        const text = takeBack({ ...texts, current: content }, hunk)
        if (text === undefined)
          return 'These lines were changed again since. Restore the whole version, or edit the note.'
        await client.replaceNote(ref, text, baseline)
        done()
        return 'Undid this change; everything else stays'
      }),
  }
}
