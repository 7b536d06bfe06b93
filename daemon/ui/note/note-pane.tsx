import {
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type RefObject,
} from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { missingPart } from '../parts/part-boundary.tsx'
import { FailureNotice } from '../app/failure-notice.tsx'
import type { Route } from '../app/route.ts'
import { useConnection, useRoute, useServices } from '../app/services.ts'
import { usePart } from '../long-notes/use-part.ts'
import type { RenderedNote } from '../markdown/render-note.ts'
import { useVault } from '../vaults/vault-context.ts'
import type { NotePlace } from './find-place.ts'
import { withoutExtension } from '../links/link-index.ts'
import { findHeadingLine } from '../markdown/headings.ts'
import type { RequestedIn } from '../editor/use-requested-in.ts'
import type { EditorMemory, NoteSession } from '../saving/note-session.ts'
import { SaveNotice } from '../saving/save-notice.tsx'
import { shownBaseline } from '../saving/shown-baseline.ts'
import { usePane } from '../tabs/pane-context.ts'
import { ReadingView } from './reading-view.tsx'
import { useMarkRead } from './use-mark-read.ts'

const ConflictPanel = lazyPart(() => import('../saving/conflict-panel.tsx'))
const SourceView = lazyPart(() => import('../editor/source-view.tsx'))

type Props = {
  session: NoteSession
  requestedIn: RefObject<RequestedIn>
  memory: EditorMemory
  text: string
  rendered: RenderedNote
  /** The line at the top of the screen, kept when switching between reading and editing. */
  topLine: number
  onTopLine: (line: number) => void
}

/** The open note: read, edited, or in conflict with a version from elsewhere. */
export function NotePane({ session, requestedIn, memory, text, rendered, topLine, onTopLine }: Props) {
  const { mode, index, look } = useVault()
  const around = useSurroundings()
  const { live, note, path } = useSyncExternalStore(session.subscribe, session.current)
  useMarkRead(path, shownBaseline({ note, live }))
  const { place, arrive } = usePlace()
  const isEdited = mode === 'source'

  const { client } = useServices()
  const connection = useConnection()
  const { state } = connection
  const [isMissing, setMissing] = useState(false)
  const goLive = useCallback(() => {
    if (!isEdited || live) return
    session.goLive().catch(() =>
      client.probe().then(
        () => setMissing(true),
        () => {},
      ),
    )
  }, [isEdited, live, session, client])
  useEffect(() => {
    goLive()
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- when the host is back, it tries again
  }, [goLive, state])

  if (live?.clash)
    return (
      <div className="note-scroll">
        <Suspense>
          <ConflictPanel session={session} clash={live.clash} />
        </Suspense>
      </div>
    )
  const link = live && session.live()
  const heading = place.heading
  return (
    <>
      <SaveNotice session={session} />
      {isEdited && <h1 className="sr-only">{withoutExtension(path.split('/').at(-1)!)}</h1>}
      {isEdited ? (
        <Suspense fallback={<p className="loading-note quiet">Loading the editor…</p>}>
          {link ? (
            <SourceView
              key={link.clientId}
              path={path}
              requestedIn={requestedIn}
              link={link}
              memory={memory}
              index={index}
              look={look}
              around={around}
              place={place}
              onArrive={arrive}
              placeLine={place.line ?? (heading === undefined ? undefined : findHeadingLine(rendered.outline, heading))}
              startLine={topLine}
              onTopLine={onTopLine}
            />
          ) : state !== 'online' ? (
            <FailureNotice refusal={connection.refusal} onRetry={goLive} />
          ) : isMissing ? (
            missingPart
          ) : (
            <p className="loading-note quiet">Loading the editor…</p>
          )}
        </Suspense>
      ) : (
        <Reading
          session={session}
          text={text}
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

type Shown = 'text' | 'rendered' | 'place' | 'startLine' | 'onArrive' | 'onTopLine'

type ReadingProps = Pick<Parameters<typeof ReadingView>[0], Shown> & {
  session: NoteSession
}

function Reading({ session, ...given }: ReadingProps) {
  const { client, navigation } = useServices()
  const { index, announce } = useVault()
  const { note, path } = session.current()
  const { isFocused } = usePane()
  const { vaultId, read, follow, searchTag } = useSurroundings()
  const onFollow = useCallback((to: Route) => follow(to, 'here'), [follow])
  const onTask = useCallback(
    (line: number) =>
      void import('../saving/live-parts.ts')
        .then(({ toggleTask }) => session.change((text) => toggleTask(text, line)))
        .catch(() => client.probe().catch(() => announce('The host of this vault cannot be reached.'))),
    [session, client, announce],
  )
  const { text, rendered, place, startLine } = given
  const scroll = isFocused ? navigation.scroll : noScroll
  const returnLine = scroll.peek()?.block?.line
  const { parts, nth, html, show } = usePart({ text, rendered, place, startLine, returnLine, vaultId, path, index })
  return (
    <ReadingView
      parts={{ parts, nth, show }}
      vaultId={vaultId}
      path={path}
      note={note}
      index={index}
      read={read}
      onFollow={onFollow}
      onTag={searchTag}
      onTask={onTask}
      scroll={scroll}
      isEmpty={text.trim() === ''}
      {...given}
      rendered={{ ...rendered, html }}
    />
  )
}

/** What the links, tags and embeds of a note do. */
function useSurroundings() {
  const { client, navigation } = useServices()
  const { vault, searchFor, sessions, openTab } = useVault()
  return useMemo(
    () => ({
      vaultId: vault.id,
      read: async (path: string) =>
        sessions.find(path)?.text() ?? (await client.readNote({ vaultId: vault.id, path })).content,
      follow: (to: Route, where: 'here' | 'tab') =>
        where === 'tab' && to.path !== undefined
          ? openTab({ path: to.path, line: to.line, heading: to.heading }, 'behind')
          : navigation.open(to),
      searchTag: (tag: string) => searchFor(`tag:${tag}`),
      readTags: async () => (await client.readTags(vault.id, undefined)).tags,
    }),
    [client, navigation, vault.id, searchFor, sessions, openTab],
  )
}

// Only the focused pane uses the scroll positions in the browser's history.
const noScroll = { peek: () => undefined, recall: () => undefined, keep: () => {} }

/** The place in the address. Each navigation is a new object, even to the same address: a request to scroll there. */
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
