import '../styles/history.css'
import { Fragment, useMemo } from 'react'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { NoteRef, Revision } from '../api/daemon-client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { counted } from '../app/counted.ts'
import { ago } from '../app/when.ts'
import { changedLines } from './changed-lines.ts'
import { excerpt, type Shown } from './excerpt.ts'
import { isAgent } from './version-list.tsx'

type Texts = { before: string; after: string }
type Props = {
  note: NoteRef
  revision: Revision
  previous: Revision | undefined
  /** Who made the version, in words. */
  by: string
  /** Asks for the lines of one change as they were before. */
  onUndo: (texts: Texts, hunk: number) => void
}

/**
 * What one version changed: added lines underlined, removed ones struck, each also said in words. Each change can be
 * taken back by itself.
 */
export function Difference({ note, revision, previous, by, onUndo }: Props) {
  const { client } = useServices()
  const key = `${note.path} ${revision.rev} ${previous?.rev ?? ''}`
  const [loaded, reload] = useLoaded(key, async (signal) => {
    const [after, before] = await Promise.all([
      client.readRevision(note, revision.rev, signal),
      previous === undefined ? '' : client.readRevision(note, previous.rev, signal),
    ])
    return { before, after }
  })
  const { shown, hidden } = useMemo(
    () => excerpt(loaded.state === 'ready' ? changedLines(loaded.value.before, loaded.value.after) : []),
    [loaded],
  )
  if (loaded.state === 'refused') return <FailureNotice refusal={loaded.refusal} onRetry={reload} />

  const mark = isAgent(revision.author.id) ? 'stretch agent' : 'stretch'
  return (
    <article className="difference-page" aria-label="What this version changed" aria-busy={loaded.state === 'loading'}>
      <p className="margin-facts">
        <b>{by}</b>
        <span>{ago(new Date(revision.at), systemClock.now())}</span>
      </p>
      {loaded.state === 'ready' && shown.length === 0 && <p className="quiet">This version changed no text.</p>}
      {shown.map((part, nth) =>
        part.kind === 'folded' ? (
          // eslint-disable-next-line react/no-array-index-key
          <p key={nth} className="quiet folded">
            {part.count} unchanged {part.count === 1 ? 'line' : 'lines'}
          </p>
        ) : (
          // eslint-disable-next-line react/no-array-index-key
          <Fragment key={nth}>
            <pre className={mark}>
              {part.kind === 'added' && <span className="sr-only">Added: </span>}
              {part.kind === 'removed' && <span className="sr-only">Removed: </span>}
              {part.kind === 'added' ? (
                <ins>{part.text}</ins>
              ) : part.kind === 'removed' ? (
                <del>{part.text}</del>
              ) : (
                part.text
              )}
            </pre>
            {previous && loaded.state === 'ready' && part.kind !== 'same' && hunkOf(shown[nth + 1]) !== part.hunk && (
              <button
                type="button"
                className="link-button undo-change"
                aria-label={`Undo this change, number ${part.hunk + 1}`}
                onClick={() => onUndo(loaded.value, part.hunk)}
              >
                Undo this change
              </button>
            )}
          </Fragment>
        ),
      )}
      {hidden > 0 && (
        <p className="quiet">
          This change is long: {counted(hidden, 'more character')} of it {hidden === 1 ? 'is' : 'are'} not shown here.
        </p>
      )}
    </article>
  )
}

const hunkOf = (part: Shown | undefined): number | undefined => (part && 'hunk' in part ? part.hunk : undefined)
