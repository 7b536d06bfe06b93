import { useMemo } from 'react'
import { diffLines } from './diff-lines.ts'
import { toEditorText } from '../../src/edits/editor-text.ts'
import { mergeTexts } from './merge-texts.ts'
import type { NoteSession } from './note-session.ts'
import type { Saving } from './saving.ts'

type Props = { session: NoteSession; conflict: Extract<Saving, { state: 'conflict' }> }

const CONTEXT = 2

/** Both versions of a note that was changed in two places, and what can be done. Nothing happens without a choice. */
export default function ConflictPanel({ session, conflict }: Props) {
  const { stored, text, theirs } = conflict
  const their = theirs === 'deleted' ? undefined : toEditorText(theirs.content)
  const merged = useMemo(
    () =>
      their === undefined ? undefined : mergeTexts({ base: toEditorText(stored.content), mine: text, theirs: their }),
    [stored.content, text, their],
  )

  return (
    <section className="conflict" aria-label="Conflict">
      <div className="conflict-head" role="alert">
        <h2>{their === undefined ? 'This note was deleted elsewhere' : 'This note was changed elsewhere'}</h2>
        <p>
          {their === undefined
            ? 'Your unsaved text is still here. You can create the note again with it, or let it go.'
            : 'Your text is not saved yet and nothing is lost. Compare both versions, then choose.'}
        </p>
        <div className="conflict-actions">
          {merged !== undefined && (
            <button
              type="button"
              className="button primary"
              onClick={() => session.tell({ event: 'merged', text: merged })}
            >
              Keep both changes
            </button>
          )}
          <button
            type="button"
            className={merged === undefined ? 'button primary' : 'button'}
            onClick={() => session.tell({ event: 'keep-mine' })}
          >
            {their === undefined ? 'Create it again' : 'Keep mine'}
          </button>
          <button type="button" className="button" onClick={session.takeTheirs}>
            {their === undefined ? 'Let it go' : 'Take theirs'}
          </button>
          <button type="button" className="button" onClick={() => void navigator.clipboard.writeText(text)}>
            Copy mine
          </button>
        </div>
        {their !== undefined && merged === undefined && (
          <p className="hint">Both changed the same lines, so they cannot be put together by themselves.</p>
        )}
      </div>
      {their !== undefined && <Difference theirs={their} mine={text} />}
      <details className="conflict-text">
        <summary>My whole text</summary>
        <pre tabIndex={0}>{text}</pre>
      </details>
      {their !== undefined && (
        <details className="conflict-text">
          <summary>Their whole text</summary>
          <pre tabIndex={0}>{their}</pre>
        </details>
      )}
    </section>
  )
}

function Difference({ theirs, mine }: { theirs: string; mine: string }) {
  const [before, after] = [theirs.split('\n'), mine.split('\n')]
  return (
    <ol className="difference" aria-label="Differences">
      {diffLines(before, after).map(({ from, to, start, end }) => (
        <li key={`${from} ${start}`}>
          <Lines lines={before.slice(Math.max(0, from - CONTEXT), from)} kind="same" />
          <Lines lines={before.slice(from, to)} kind="theirs" />
          <Lines lines={after.slice(start, end)} kind="mine" />
          <Lines lines={before.slice(to, to + CONTEXT)} kind="same" />
        </li>
      ))}
    </ol>
  )
}

const words = { same: '', theirs: 'Theirs', mine: 'Mine' }

function Lines({ lines, kind }: { lines: readonly string[]; kind: keyof typeof words }) {
  if (lines.length === 0) return null
  return (
    <div className={`lines ${kind}`}>
      <span className="lines-whose">{words[kind]}</span>
      <pre>{lines.join('\n') || ' '}</pre>
    </div>
  )
}
