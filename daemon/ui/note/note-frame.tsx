import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { toEditorText } from '../../src/edits/editor-text.ts'
import { stringOf } from '../../src/edits/whole-text.ts'
import type { Refusal } from '../api/refusal.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useRoute } from '../app/services.ts'
import { useRequestedIn } from '../editor/use-requested-in.ts'
import { isNoteName } from '../links/link-index.ts'
import { isUnsafe } from '../live/save-state.ts'
import type { OutlineEntry } from '../markdown/headings.ts'
import { isLong } from '../markdown/note-parts.ts'
import { plainOutline } from '../markdown/plain-outline.ts'
import { renderNote } from '../markdown/render-note.ts'
import { useVault } from '../vaults/vault-context.ts'
import { NoteHead } from './note-head.tsx'
import { NotePane } from './note-pane.tsx'
import { NotePanel } from './note-panel.tsx'
import { People } from './people.tsx'
import { MarginState } from '../saving/margin-state.tsx'
import { useHolds, useLasting } from '../saving/use-lasting.ts'
import { useSession } from '../saving/use-session.ts'
import { usePane } from '../tabs/pane-context.ts'
import { Sheet, SidePanel } from '../tabs/sheet.tsx'

// Rendering a text of this length takes longer than the pause between two keys.
const LARGE = 100_000
const LARGE_PAUSE_MS = 2000
// Milliseconds to wait per character, so 10 seconds for 10 MB: computing such an outline would block the next key.
const PAUSE_MS_EACH = 0.001
// Shorter waits need no warning: the page already says that the text is being saved.
const UNSAFE_MS = 3000

// Loaded once the note is shown.
const NotWritten = lazyPart(() => import('./not-written.tsx'))

type Props = { path: string; onMenu: () => void; onPanel: () => void }

/** Everything around one note: the head of the sheet, the note, outline and properties. */
export function NoteFrame({ path, onMenu, onPanel }: Props) {
  const { vault, index, treeRefusal, sessions, refreshTree } = useVault()
  const ref = useMemo(() => ({ vaultId: vault.id, path }), [vault.id, path])
  const { loaded, reload } = useSession(ref, sessions)
  const requestedIn = useRequestedIn(path)

  if (loaded.state === 'ready') {
    const { value: session } = loaded
    return <OpenNote key={session.id} session={session} requestedIn={requestedIn} onMenu={onMenu} onPanel={onPanel} />
  }
  // A path that is not a note may be an attachment. The tree knows that, so wait until it is loaded.
  const isInDoubt = !index.isKnown && loaded.state === 'refused' && mayBeAttachment(loaded.refusal)
  const isLoading = loaded.state === 'loading' || (isInDoubt && !treeRefusal)
  return (
    <Sheet busy={isLoading}>
      <NoteHead path={path} margin={<MarginState session={undefined} />} onMenu={onMenu} />
      <div className="note-scroll">
        {isLoading ? (
          <Skeleton />
        ) : isInDoubt && treeRefusal ? (
          <FailureNotice heading="h1" refusal={treeRefusal} onRetry={refreshTree} />
        ) : isMissing(path, loaded.refusal) ? (
          <Suspense>
            <NotWritten path={path} onWritten={reload} />
          </Suspense>
        ) : (
          <FailureNotice
            heading="h1"
            refusal={loaded.refusal}
            retryInSeconds={loaded.retryInSeconds}
            onRetry={reload}
          />
        )}
      </div>
    </Sheet>
  )
}

/** The daemon has no note at this path, or no note can have it. */
const mayBeAttachment = ({ code }: Refusal): boolean => code === 'not_found' || code === 'invalid_request'

/** No file has this path. The daemon does not look for a note at a path that no note can have. */
const isMissing = (path: string, { code }: Refusal): boolean =>
  code === 'not_found' || (code === 'invalid_request' && !isNoteName(path))

type OpenProps = Pick<Parameters<typeof NotePane>[0], 'session' | 'requestedIn'> & {
  onMenu: () => void
  onPanel: () => void
}

function OpenNote({ session, requestedIn, onMenu, onPanel }: OpenProps) {
  const { vault, index, mode, tabs, open } = useVault()
  const { live, doc, note, path } = useSyncExternalStore(session.subscribe, session.current)
  const { id, isFocused } = usePane()
  const memory = session.memoryOf(id)
  const [topLine, setTopLine] = useState(memory.topLine)
  const onTopLine = useCallback(
    (line: number) => {
      session.keepTopLine(id, line)
      setTopLine(line)
    },
    [session, id],
  )
  const length = doc?.length ?? note.content.length
  const isLarge = length > LARGE
  const settled = useLasting(doc, isLarge ? Math.max(LARGE_PAUSE_MS, length * PAUSE_MS_EACH) : 0)
  // While somebody types, the outline may lag behind, but the text may not.
  const shown = useDeferredValue(doc && isLarge && mode === 'source' ? settled : doc)
  const text = useMemo(() => (shown ? stringOf(shown) : toEditorText(note.content)), [shown, note.content])
  const isAtRisk = useHolds(live !== undefined && isUnsafe(live.save), UNSAFE_MS)
  // The reading view renders a long note in parts.
  const isOutlineEnough = isLong(text) || (isLarge && mode === 'source')
  const rendered = useMemo(
    () =>
      isOutlineEnough
        ? { html: '', outline: plainOutline(text) }
        : renderNote(text, { vaultId: vault.id, path, index }),
    [isOutlineEnough, text, vault.id, path, index],
  )

  // When a note is moved, the page follows it.
  const shownPath = useRoute().path
  useEffect(() => {
    if (shownPath !== undefined && path !== shownPath && live?.path === path) tabs.moved({ from: shownPath, to: path })
  }, [path, shownPath, live?.path, tabs])

  useEffect(() => {
    if (isFocused) document.title = `${path.split('/').at(-1)!.replace(/\.md$/i, '')} · ${vault.displayName}`
  }, [path, vault.displayName, isFocused])

  const { outline } = rendered
  const goTo = useCallback(
    ({ text: heading, line }: OutlineEntry) => {
      const unique = outline.filter(({ text }) => text === heading).length === 1
      const place = unique && mode === 'reading' ? { heading } : { line }
      open(path, place)
    },
    [open, outline, mode, path],
  )

  return (
    <>
      <Sheet words={isAtRisk ? 'unsafe' : 'safe'}>
        <NoteHead
          path={path}
          margin={<MarginState session={session} />}
          people={<People session={session} />}
          onMenu={onMenu}
          onPanel={onPanel}
        />
        <NotePane
          session={session}
          requestedIn={requestedIn}
          text={text}
          rendered={rendered}
          topLine={topLine}
          memory={memory}
          onTopLine={onTopLine}
        />
      </Sheet>
      <SidePanel>
        <NotePanel
          session={session}
          note={note}
          path={path}
          text={text}
          outline={outline}
          activeLine={topLine}
          onGo={goTo}
        />
      </SidePanel>
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
