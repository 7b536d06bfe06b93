import { Suspense, useState } from 'react'
import type { Note } from '../api/daemon-client.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { NoteSession } from '../saving/note-session.ts'
import { Properties } from './properties.tsx'

// Reading a note does not load YAML.
const EditProperties = lazyPart(() => import('./edit-properties.tsx'))

type Props = { session: NoteSession; note: Note; path: string; text: string }

/** The properties of a note: read-only until somebody chooses to edit them. */
export function PropertySection({ session, note, path, text }: Props) {
  const [isEdited, setEdited] = useState(false)
  return (
    <section aria-label="Properties">
      <h2>Properties</h2>
      {isEdited ? (
        <Suspense fallback={<p className="quiet">Loading the fields…</p>}>
          <EditProperties session={session} text={text} path={path} onDone={() => setEdited(false)} />
        </Suspense>
      ) : (
        <>
          <Properties note={note} />
          <button type="button" className="link-button" onClick={() => setEdited(true)}>
            Change properties
          </button>
        </>
      )}
    </section>
  )
}
