import type { LiveUpdate } from './live-update.ts'
import { sectionsOf } from './changes-size.ts'

// A caret that has missed more is left out: others see it again when it moves, and carets come many times a second.
const MAX_SECTIONS = 20_000

/** Two versions of a text, and the client whose caret is moved from one to the other. */
export type Moment = { version: number; upTo: number; clientID: string }

/**
 * Returns a function that maps a place of a client over updates; undefined if they change too much. A caret stays after
 * what its own client types there.
 */
export function placeAfter(updates: readonly LiveUpdate[], clientID: string): ((place: number) => number) | undefined {
  if (updates.reduce((sum, { changes }) => sum + sectionsOf(changes), 0) > MAX_SECTIONS) return undefined
  return (place) =>
    updates.reduce((now, update) => update.changes.mapPos(now, update.clientID === clientID ? 1 : -1), place)
}
