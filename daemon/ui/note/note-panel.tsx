import { memo, Suspense } from 'react'
import type { Note } from '../api/daemon-client.ts'
import type { OutlineEntry } from '../markdown/headings.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { NoteSession } from '../saving/note-session.ts'
import { Outline } from './outline.tsx'
import { PropertySection } from '../properties/property-section.tsx'

// Loaded once the note is shown.
const LinkedFrom = lazyPart(() => import('../links/linked-from.tsx'))

type Props = {
  session: NoteSession
  note: Note
  path: string
  text: string
  outline: readonly OutlineEntry[]
  activeLine: number
  onGo: (entry: OutlineEntry) => void
}

/** Outline, links and properties of a note. Rendered only when one of them changes: typing must not wait for it. */
export const NotePanel = memo(function NotePanel({ session, note, path, text, outline, activeLine, onGo }: Props) {
  return (
    <aside className="panel" aria-label="Outline, links and properties">
      <section aria-label="Outline">
        <h2>Outline</h2>
        <Outline outline={outline} activeLine={activeLine} onGo={onGo} />
      </section>
      <section aria-label="Linked from">
        <h2>Linked from</h2>
        <Suspense fallback={null}>
          <LinkedFrom path={path} />
        </Suspense>
      </section>
      <PropertySection session={session} note={note} path={path} text={text} />
    </aside>
  )
})
