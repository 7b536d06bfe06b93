import { useSyncExternalStore } from 'react'
import { presentPeople } from '../live/inks.ts'
import type { NoteSession } from '../saving/note-session.ts'

const SHOWN = 4

/** Marks of the people who have the note open for editing, at its head. Screen readers do not announce changes. */
export function People({ session }: { session: NoteSession }) {
  const { live } = useSyncExternalStore(session.subscribe, session.current)
  const people = live ? presentPeople(live.presence.people, live.you) : []
  if (people.length < 2) return null
  return (
    <ul className="people" aria-label="In this note now">
      {people.slice(0, SHOWN).map(({ name, kind, ink, isYou }) => (
        <li
          key={`${kind} ${name}`}
          className="person"
          data-ink={ink}
          data-kind={kind}
          title={isYou ? `${name} (you)` : name}
        >
          <span aria-hidden="true">{[...name][0]?.toUpperCase()}</span>
          <span className="sr-only">{isYou ? `${name} (you)` : name}</span>
        </li>
      ))}
      {people.length > SHOWN && (
        <li
          className="more"
          title={people
            .slice(SHOWN)
            .map(({ name }) => name)
            .join(', ')}
        >
          +{people.length - SHOWN}
        </li>
      )}
    </ul>
  )
}
