import type { Actor } from '../entry/actor.ts'

/** Who a revision is by, as git writes it. `outside` is an editor or tool that wrote the file itself. */
export type HistoryAuthor = { id: string; name: string }

/** Author of what was found on disk without knowing who wrote it. */
export const outsideAuthor: HistoryAuthor = { id: 'outside', name: 'Outside edit' }

/** The author of a change made through the daemon. */
export function authorOf(actor: Actor): HistoryAuthor {
  switch (actor.kind) {
    case 'person':
      return { id: actor.id, name: actor.name }
    case 'mcp_client':
      return { id: 'mcp_client', name: actor.client }
    case 'system':
      return { id: 'system', name: actor.name }
    case 'local':
      return { id: 'local', name: 'Local' }
  }
}
