import { useState, type KeyboardEvent } from 'react'
import type { Place } from './merge-places.ts'

/** The lines that were chosen for a place, and how. */
export type Choice = { by: 'mine' | 'theirs' | 'both' | 'written'; lines: readonly string[] }

type Clash = Extract<Place, { kind: 'clash' }>
type Props = {
  place: Clash
  position: string
  choice: Choice | undefined
  onChoice: (choice: Choice | undefined) => void
}

/**
 * One place that both versions changed differently, with the possible choices; while it has the focus, the keys 1 to 4
 * choose.
 */
export function ConflictPlace({ place: { mine, theirs, base }, position, choice, onChoice }: Props) {
  const [draft, setDraft] = useState<string>()
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
    { by: 'written', name: 'Write it myself', choose: () => write([...mine, ...theirs].join('\n')) },
  ]
  const write = (text: string) => {
    setDraft(text)
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
        <span className="quiet">{position}</span> {titleOf({ mine, theirs, base })}
      </h2>
      <Version name="Mine" lines={mine} isKept={choice?.by === 'mine' || choice?.by === 'both'} />
      <Version name="Theirs" lines={theirs} isKept={choice?.by === 'theirs' || choice?.by === 'both'} />
      {choice?.by === 'written' && (
        <textarea
          aria-label={`Text of place ${position}`}
          rows={Math.min(12, choice.lines.length + 1)}
          value={draft ?? ''}
          onChange={(event) => write(event.target.value)}
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

function titleOf({ mine, theirs }: Pick<Clash, 'mine' | 'theirs' | 'base'>): string {
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
