import type { Actor } from '../entry/actor.ts'

/** The name under which an actor's readings are stored; undefined for agents and the platform, which read no news. */
export function readerOf(actor: Actor): string | undefined {
  if (actor.kind === 'local') return 'local'
  return actor.kind === 'person' ? actor.id : undefined
}
