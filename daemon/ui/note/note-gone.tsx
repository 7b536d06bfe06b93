import { useState } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import type { NoteSession } from '../saving/note-session.ts'

/** Over a note that was deleted elsewhere while it stood on the screen. */
export function NoteGone({ session }: { session: NoteSession }) {
  const { client } = useServices()
  const { refreshTree } = useVault()
  const [refusal, setRefusal] = useState<Refusal>()

  const createAgain = async () => {
    try {
      await client.createNote(session.ref, session.current().saving.stored.content)
      refreshTree()
    } catch (thrown) {
      setRefusal(asRefusal(thrown))
    }
    await session.recheck()
  }

  return (
    <div className="banner" role="alert">
      <p>
        This note was deleted or moved elsewhere. Its text is still on this page.
        {refusal && ` ${failureText(refusal).title}.`}
      </p>
      <button type="button" className="button" onClick={() => void createAgain()}>
        Create it again
      </button>
    </div>
  )
}
