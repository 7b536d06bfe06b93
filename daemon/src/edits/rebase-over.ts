import type { ChangeSet } from '@codemirror/state'

/** A change of a text, by one client. */
export type ClientChange = { client: string; changes: ChangeSet }

/** Changes of one client, each on top of the one before. */
export type ClientChanges = { client: string; changes: readonly ChangeSet[] }

/**
 * Rebases the changes of one client over a change that another client made to the same text; returns both as they apply
 * after each other. Of two insertions at the same place, the insertion of the client with the lower id comes first,
 * whichever was confirmed first: text that two people type there at the same time is not mixed. Daemon and clients must
 * agree on this order. Pure.
 */
export function rebaseOver(mine: ClientChanges, other: ClientChange): { mine: ChangeSet[]; other: ChangeSet } {
  const isFirst = mine.client < other.client
  let over = other.changes
  const rebased = mine.changes.map((changes) => {
    const moved = changes.map(over, isFirst)
    over = over.map(changes, !isFirst)
    return moved
  })
  return { mine: rebased, other: over }
}

/**
 * Rebases changes over a list of changes, one after the other, as clients do: over all of them combined, an insertion
 * could end up in another place. A change in the list by the same client is the first of its own changes, now
 * confirmed. Pure.
 */
export function rebaseOverAll(
  { client, changes }: ClientChanges,
  others: readonly ClientChange[],
): readonly ChangeSet[] {
  return others.reduce(
    (mine, other) => (other.client === client ? mine.slice(1) : rebaseOver({ client, changes: mine }, other).mine),
    changes,
  )
}
