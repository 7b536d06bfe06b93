import type { Actor } from '../entry/actor.ts'

/** Under which name it is kept what an actor has read; undefined for agents and the platform, which read no news. */
export function readerOf(actor: Actor): string | undefined {
  if (actor.kind === 'local') return 'local'
  return actor.kind === 'person' ? actor.id : undefined
}
