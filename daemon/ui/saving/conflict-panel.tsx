import '../styles/conflict.css'
import { useMemo, useState, useSyncExternalStore } from 'react'
import { copyText } from '../app/copy-text.ts'
import type { Clash } from '../live/live-text.ts'
import { withoutExtension } from '../links/link-index.ts'
import { useVault } from '../vaults/vault-context.ts'
import { ConflictPlace } from './conflict-place.tsx'
import { mergePlaces, textOf } from './merge-places.ts'
import type { NoteSession } from './note-session.ts'
import { choiceFor, draftFor, nameOf, withDraft, type Choice, type Draft } from './place-choices.ts'

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
  // While others type, only a place that they change is asked for again.
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const [drafts, setDrafts] = useState<readonly Draft[]>([])
  const chosen = clashes.map((place) => choiceFor(place, { choices, drafts }))
  const open = chosen.filter((choice) => choice === undefined).length

  const save = () =>
    session.live()?.resolve(
      textOf(
        places,
        chosen.map((choice) => choice!.lines),
      ),
    )
  const copy = () => void copyText(clash.mine, announce)

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
        {places.map((place, at) =>
          place.kind === 'clash' ? (
            <ConflictPlace
              key={`from ${place.from}`}
              place={place}
              position={`${clashes.indexOf(place) + 1} of ${clashes.length}`}
              choice={choiceFor(place, { choices, drafts })}
              draft={draftFor(place, drafts)}
              onChoice={(choice) => setChoices((now) => new Map(now).set(nameOf(place), choice))}
              onDraft={(text) => setDrafts((now) => withDraft(now, place, text))}
            />
          ) : (
            <Settled key={at} lines={place.lines} />
          ),
        )}
      </ol>
    </section>
  )
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
