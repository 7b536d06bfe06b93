import { lazy, Suspense, useCallback, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Route } from '../app/route.ts'
import { useRoute, useServices } from '../app/services.ts'
import type { RenderedNote } from '../markdown/render-note.ts'
import { useVault } from '../vaults/vault-context.ts'
import type { NotePlace } from './find-place.ts'
import { findHeadingLine } from './heading-line.ts'
import { KeptNotice } from '../saving/kept-notice.tsx'
import { NoteGone } from './note-gone.tsx'
import type { NoteSession } from '../saving/note-session.ts'
import { ReadingView } from './reading-view.tsx'
import { toggleTask } from './toggle-task.ts'

const ConflictPanel = lazy(() => import('../saving/conflict-panel.tsx'))
const SourceView = lazy(() => import('../editor/source-view.tsx'))

type Props = {
  session: NoteSession
  rendered: RenderedNote
  /** The line at the top of the screen, carried over between reading and editing. */
  topLine: number
  onTopLine: (line: number) => void
}

/** The open note: read, edited, or in conflict with a version from elsewhere. */
export function NotePane({ session, rendered, topLine, onTopLine }: Props) {
  const { mode, index } = useVault()
  const { saving, kept, note } = useSyncExternalStore(session.subscribe, session.current)
  const { path } = session.ref
  const { place, arrive } = usePlace()
  const onChange = useCallback((text: string) => session.tell({ event: 'typed', text }), [session])

  if (saving.state === 'conflict')
    return (
      <div className="note-scroll">
        <Suspense>
          <ConflictPanel session={session} conflict={saving} />
        </Suspense>
      </div>
    )
  const heading = place.heading
  return (
    <>
      <KeptNotice session={session} />
      {saving.state === 'gone' && <NoteGone session={session} />}
      {mode === 'source' ? (
        <Suspense fallback={<p className="loading-note quiet">Loading the editor…</p>}>
          <SourceView
            key={path}
            path={path}
            text={saving.text}
            index={index}
            editing={kept ? 'read-only' : 'writable'}
            place={place}
            onArrive={arrive}
            placeLine={place.line ?? (heading === undefined ? undefined : findHeadingLine(rendered.outline, heading))}
            startLine={topLine}
            onChange={onChange}
            onTopLine={onTopLine}
          />
        </Suspense>
      ) : (
        <Reading
          session={session}
          note={note}
          rendered={rendered}
          place={place}
          onArrive={arrive}
          startLine={topLine}
          onTopLine={onTopLine}
        />
      )}
    </>
  )
}

type Shown = 'note' | 'rendered' | 'place' | 'startLine' | 'onArrive' | 'onTopLine'

type ReadingProps = Pick<Parameters<typeof ReadingView>[0], Shown> & {
  session: NoteSession
}

function Reading({ session, ...shown }: ReadingProps) {
  const { client, navigation } = useServices()
  const { vault, index, searchFor, sessions } = useVault()

  const follow = useCallback((to: Route) => navigation.open(to), [navigation])
  const onTag = useCallback((tag: string) => searchFor(`tag:${tag}`), [searchFor])
  const onTask = useCallback(
    (line: number) => {
      session.tell({ event: 'typed', text: toggleTask(session.current().saving.text, line) })
      session.tell({ event: 'save' })
    },
    [session],
  )
  const read = useCallback(
    async (path: string) =>
      sessions.find(path)?.current().saving.text ?? (await client.readNote({ vaultId: vault.id, path })).content,
    [client, sessions, vault.id],
  )
  return (
    <ReadingView
      vaultId={vault.id}
      index={index}
      read={read}
      onFollow={follow}
      onTag={onTag}
      onTask={onTask}
      scroll={navigation.scroll}
      isEmpty={session.current().saving.text.trim() === ''}
      {...shown}
    />
  )
}

/** Where the address points. Each navigation is a new object, also to the same address: a wish to be taken there. */
function usePlace() {
  const route = useRoute()
  const place = useMemo<NotePlace>(() => ({ line: route.line, heading: route.heading }), [route])
  const last = useRef<NotePlace>(undefined)
  const arrive = useCallback((at: NotePlace) => {
    const isNew = last.current !== at
    last.current = at
    return isNew
  }, [])
  return { place, arrive }
}
