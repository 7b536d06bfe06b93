import '../styles/conflict.css'
import { useMemo, useState, useSyncExternalStore } from 'react'
import type { Clash } from '../live/live-text.ts'
import { withoutExtension } from '../links/link-index.ts'
import { useVault } from '../vaults/vault-context.ts'
import { ConflictPlace, type Choice } from './conflict-place.tsx'
import { mergePlaces, textOf, type Place } from './merge-places.ts'
import type { NoteSession } from './note-session.ts'

type Props = { session: NoteSession; clash: Clash }

const CONTEXT = 3

/**
 * Resolves a conflict: a note was rewritten while this device had unsent changes. The person chooses one text for each
 * place.
 */
export default function ConflictPanel({ session, clash }: Props) {
  const { announce } = useVault()
  const { doc, path } = useSyncExternalStore(session.subscribe, session.current)
  const theirs = doc?.toString() ?? ''
  const places = useMemo(() => mergePlaces({ ...clash, theirs }), [clash, theirs])
  const clashes = places.filter((place) => place.kind === 'clash')
  // Choices belong to one version of the other text: a new version has other places.
  const [made, setMade] = useState<{ theirs: string; choices: ReadonlyMap<number, Choice> }>()
  const choices = made?.theirs === theirs ? made.choices : new Map<number, Choice>()
  const open = clashes.length - choices.size

  const choose = (nth: number, choice: Choice | undefined) => {
    const next = new Map(choices)
    if (choice) next.set(nth, choice)
    else next.delete(nth)
    setMade({ theirs, choices: next })
  }
  const save = () =>
    session.live()?.resolve(
      textOf(
        places,
        clashes.map((_, nth) => choices.get(nth)!.lines),
      ),
    )
  const copy = () => void navigator.clipboard.writeText(clash.mine).then(() => announce('Copied'))

  return (
    <section className="conflict" aria-label="Conflict">
      <div className="conflict-head">
        <h1>Choose the text of {withoutExtension(path.split('/').at(-1)!)}</h1>
        <p role="alert">
          This note was rewritten while your words could not be sent. Nothing is lost: choose for each place; what you
          leave out of the other version stays in the history.
        </p>
        <div className="conflict-actions">
          <button type="button" className="button primary" disabled={open > 0} onClick={save}>
            {open === 0 ? 'Save' : `Save, ${open} ${open === 1 ? 'place' : 'places'} left`}
          </button>
          <button type="button" className="button" onClick={copy}>
            Copy my text
          </button>
        </div>
      </div>
      <ol className="conflict-places" aria-label="Places">
        {numbered(places).map(({ place, nth, at }) =>
          place.kind === 'clash' ? (
            <ConflictPlace
              key={at}
              place={place}
              position={`${nth + 1} of ${clashes.length}`}
              choice={choices.get(nth)}
              onChoice={(choice) => choose(nth, choice)}
            />
          ) : (
            <Settled key={at} lines={place.lines} />
          ),
        )}
      </ol>
    </section>
  )
}

/** Places with the number of each clash among the clashes. */
function numbered(places: readonly Place[]) {
  let clashes = 0
  return places.map((place, at) => ({ place, at, nth: place.kind === 'clash' ? clashes++ : -1 }))
}

/** Lines that both versions agree on; of many, only those next to the places. */
function Settled({ lines }: { lines: readonly string[] }) {
  const isLong = lines.length > 2 * CONTEXT + 1
  const shown = isLong ? [...lines.slice(0, CONTEXT), '…', ...lines.slice(-CONTEXT)] : lines
  return (
    <li className="conflict-settled">
      <pre>{shown.join('\n')}</pre>
    </li>
  )
}
