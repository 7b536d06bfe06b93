import type { LivePerson } from '@svc/shared/wire/daemon/live-messages.ts'

const INKS = 5

/**
 * The ink of each participant. You always have the first; the others have the rest, in the order in which they joined.
 * Pure.
 */
export function inksOf(people: readonly LivePerson[], you: string | undefined): Map<string, number> {
  const others = people.filter(({ id }) => id !== you)
  const inks = new Map(others.map(({ id }, nth) => [id, 2 + (nth % (INKS - 1))]))
  if (you !== undefined) inks.set(you, 1)
  return inks
}

/** A person in a note; several tabs of one person count once. */
export type Present = { name: string; kind: LivePerson['who']['kind']; ink: number; isYou: boolean }

/** The people in a note, each once; you come first. Pure. */
export function presentPeople(people: readonly LivePerson[], you: string | undefined): Present[] {
  const inks = inksOf(people, you)
  const present = new Map<string, Present>()
  for (const { id, who } of people.toSorted((one, other) => Number(other.id === you) - Number(one.id === you))) {
    const key = `${who.kind} ${who.name}`
    if (!present.has(key)) present.set(key, { ...who, ink: inks.get(id)!, isYou: id === you })
  }
  return [...present.values()]
}
