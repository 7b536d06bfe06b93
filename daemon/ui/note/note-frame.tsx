import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { StatusLine } from '../app/status-line.tsx'
import type { OutlineEntry } from '../markdown/headings.ts'
import { renderNote } from '../markdown/render-note.ts'
import { useVault } from '../vaults/vault-context.ts'
import { NoteBar } from './note-bar.tsx'
import { NotePane } from './note-pane.tsx'
import type { NoteSession } from '../saving/note-session.ts'
import { NotWritten } from './not-written.tsx'
import { Outline } from './outline.tsx'
import { Properties } from './properties.tsx'
import { useSession } from '../saving/use-session.ts'

type Props = { path: string; onMenu: () => void; onPanel: () => void }

/** Everything around one note: its bar, the note, outline and properties, and the bottom line. */
export function NoteFrame({ path, onMenu, onPanel }: Props) {
  const { vault, sessions } = useVault()
  const ref = useMemo(() => ({ vaultId: vault.id, path }), [vault.id, path])
  const { loaded, reload } = useSession(ref, sessions)

  if (loaded.state === 'ready') return <OpenNote key={path} session={loaded.value} onMenu={onMenu} onPanel={onPanel} />
  return (
    <>
      <main className="centre" aria-busy={loaded.state === 'loading'}>
        <NoteBar path={path} onMenu={onMenu} />
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
      <StatusLine session={undefined} path={path} />
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
      <main className="centre">
        <NoteBar path={path} onMenu={onMenu} onPanel={onPanel} />
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
      <StatusLine session={session} path={path} />
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
