import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import type { OutlineEntry } from '../markdown/headings.ts'
import { renderNote } from '../markdown/render-note.ts'
import { useVault } from '../vaults/vault-context.ts'
import { NoteHead } from './note-head.tsx'
import { NotePane } from './note-pane.tsx'
import type { NoteSession } from '../saving/note-session.ts'
import { NotWritten } from './not-written.tsx'
import { Outline } from './outline.tsx'
import { Properties } from './properties.tsx'
import { MarginState } from '../saving/margin-state.tsx'
import { isUnsafe } from '../saving/saving.ts'
import { useSession } from '../saving/use-session.ts'

type Props = { path: string; onMenu: () => void; onPanel: () => void }

/** Everything around one note: the head of the sheet, the note, outline and properties. */
export function NoteFrame({ path, onMenu, onPanel }: Props) {
  const { vault, sessions } = useVault()
  const ref = useMemo(() => ({ vaultId: vault.id, path }), [vault.id, path])
  const { loaded, reload } = useSession(ref, sessions)

  if (loaded.state === 'ready') return <OpenNote key={path} session={loaded.value} onMenu={onMenu} onPanel={onPanel} />
  return (
    <>
      <main className="centre" aria-busy={loaded.state === 'loading'}>
        <NoteHead path={path} margin={<MarginState session={undefined} />} onMenu={onMenu} />
        <div className="note-scroll">
          {loaded.state === 'loading' && <Skeleton />}
          {loaded.state === 'refused' && loaded.refusal.code === 'not_found' && (
            <NotWritten path={path} onWritten={reload} />
          )}
          {loaded.state === 'refused' && loaded.refusal.code !== 'not_found' && (
            <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
          )}
        </div>
      </main>
    </>
  )
}

type OpenProps = { session: NoteSession; onMenu: () => void; onPanel: () => void }

function OpenNote({ session, onMenu, onPanel }: OpenProps) {
  const { navigation } = useServices()
  const { vault, index, mode } = useVault()
  const { saving, note } = useSyncExternalStore(session.subscribe, session.current)
  const { path } = session.ref
  const [topLine, setTopLine] = useState(1)
  // While somebody types, the outline may lag behind; the letters may not.
  const text = useDeferredValue(saving.text)
  const rendered = useMemo(() => renderNote(text, { vaultId: vault.id, path, index }), [text, vault.id, path, index])

  useEffect(() => {
    document.title = `${path.split('/').at(-1)!.replace(/\.md$/i, '')} · ${vault.displayName}`
  }, [path, vault.displayName])

  const goTo = (entry: OutlineEntry) => {
    const unique = rendered.outline.filter(({ text }) => text === entry.text).length === 1
    navigation.open(
      unique && mode === 'reading'
        ? { vaultId: vault.id, path, heading: entry.text }
        : { vaultId: vault.id, path, line: entry.line },
    )
  }

  return (
    <>
      <main className="centre" data-words={isUnsafe(saving) ? 'unsafe' : 'safe'}>
        <NoteHead path={path} margin={<MarginState session={session} />} onMenu={onMenu} onPanel={onPanel} />
        <NotePane session={session} rendered={rendered} topLine={topLine} onTopLine={setTopLine} />
      </main>
      <aside className="panel" aria-label="Outline and properties">
        <section aria-label="Outline">
          <h2>Outline</h2>
          <Outline outline={rendered.outline} activeLine={topLine} onGo={goTo} />
        </section>
        <section aria-label="Properties">
          <h2>Properties</h2>
          <Properties note={note} />
        </section>
      </aside>
    </>
  )
}

function Skeleton() {
  return (
    <div className="skeleton" role="status" aria-label="Loading the note">
      <i />
      <i />
      <i />
      <i />
    </div>
  )
}
