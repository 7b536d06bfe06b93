import type { KeyboardEvent } from 'react'
import type { ClashPlace } from './merge-places.ts'
import type { Choice } from './place-choices.ts'

type Props = {
  place: ClashPlace
  position: string
  choice: Choice | undefined
  /** What the person wrote for this place. It stays when the place changes and asks again. */
  draft: string | undefined
  onChoice: (choice: Choice) => void
  onDraft: (text: string) => void
}

/**
 * One place that both versions changed differently, with the possible choices; while it has the focus, the keys 1 to 4
 * choose.
 */
export function ConflictPlace({ place: { mine, theirs }, position, choice, draft, onChoice, onDraft }: Props) {
  const offers: { by: Choice['by']; name: string; choose: () => void }[] = [
    {
      by: 'mine',
      name: mine.length === 0 ? 'Keep it deleted' : 'Keep mine',
      choose: () => onChoice({ by: 'mine', lines: mine }),
    },
    {
      by: 'theirs',
      name: theirs.length === 0 ? 'Delete it' : 'Keep theirs',
      choose: () => onChoice({ by: 'theirs', lines: theirs }),
    },
    { by: 'both', name: 'Keep both', choose: () => onChoice({ by: 'both', lines: [...mine, ...theirs] }) },
    { by: 'written', name: 'Write it myself', choose: () => write(draft ?? [...mine, ...theirs].join('\n')) },
  ]
  const write = (text: string) => {
    onDraft(text)
    onChoice({ by: 'written', lines: text === '' ? [] : text.split('\n') })
  }
  const onKey = (event: KeyboardEvent) => {
    const offer = offers[Number(event.key) - 1]
    if (!offer || event.target instanceof HTMLTextAreaElement || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    offer.choose()
  }

  return (
    <li className="conflict-place" data-settled={choice !== undefined} onKeyDown={onKey}>
      <h2>
        <span className="quiet">{position}</span> {titleOf({ mine, theirs })}
      </h2>
      <Version name="Mine" lines={mine} isKept={choice?.by === 'mine' || choice?.by === 'both'} />
      <Version name="Theirs" lines={theirs} isKept={choice?.by === 'theirs' || choice?.by === 'both'} />
      {draft !== undefined && (choice === undefined || choice.by === 'written') && (
        <textarea
          aria-label={`Text of place ${position}`}
          rows={Math.min(12, draft.split('\n').length + 1)}
          value={draft}
          // A place that asks again waits for an answer to what changed there, not only for the next key.
          onChange={({ target }) => (choice ? write(target.value) : onDraft(target.value))}
        />
      )}
      <div className="conflict-actions" role="group" aria-label={`Place ${position}`}>
        {offers.map(({ by, name, choose }, at) => (
          <button key={by} type="button" className="button" aria-pressed={choice?.by === by} onClick={choose}>
            {name} <kbd className="key-hint">{at + 1}</kbd>
          </button>
        ))}
      </div>
    </li>
  )
}

function titleOf({ mine, theirs }: Pick<ClashPlace, 'mine' | 'theirs'>): string {
  if (mine.length === 0) return 'You deleted this, somebody else changed it'
  if (theirs.length === 0) return 'Somebody else deleted this, you changed it'
  return 'Both wrote this'
}

function Version({ name, lines, isKept }: { name: string; lines: readonly string[]; isKept: boolean }) {
  return (
    <div className={`lines ${name.toLowerCase()}`}>
      <span className="lines-whose">
        {name}
        {isKept && <b> Kept</b>}
      </span>
      <pre tabIndex={0}>{lines.join('\n') || ' '}</pre>
    </div>
  )
}
