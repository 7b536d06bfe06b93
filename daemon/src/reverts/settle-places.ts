import { identityKey } from '../files/vault-path.ts'

/** A note that needs a path: one that moves there from another, or one that comes back. */
export type Claim = {
  from: string | undefined
  to: string
  /** What is at the path now: nothing, another note, or something that makes it unusable. */
  now: 'free' | 'taken' | 'unusable'
}

/**
 * Divides claims into those that can all be met at once and those that cannot: no two notes get the same path, and none
 * gets the path of a note that stays. `freed` are paths whose notes are removed. If two notes claim one path, a note
 * that comes back gets it, because the other one has a path anyway. Pure.
 */
export function settlePlaces<C extends Claim>(
  claims: readonly C[],
  freed: ReadonlySet<string>,
): { met: C[]; unmet: C[] } {
  const unmet = new Set<C>()
  const byTarget = new Map<string, C[]>()
  const leaving = new Set<string>()
  for (const claim of claims) {
    add(byTarget, identityKey(claim.to), claim)
    if (claim.from !== undefined) leaving.add(claim.from)
  }

  /** A note that cannot leave blocks the notes that claim its path. */
  const refuse = (first: C): void => {
    for (let waiting = [first]; waiting.length > 0;) {
      const claim = waiting.pop()!
      if (unmet.has(claim)) continue
      unmet.add(claim)
      const { from } = claim
      if (from === undefined) continue
      leaving.delete(from)
      waiting.push(...(byTarget.get(identityKey(from)) ?? []).filter(({ to }) => to === from))
    }
  }

  for (const claim of claims) {
    const { to, now } = claim
    if (now === 'unusable' || (now === 'taken' && !freed.has(to) && !leaving.has(to))) refuse(claim)
  }
  for (const rivals of byTarget.values()) {
    const open = rivals.filter((claim) => !unmet.has(claim))
    const first = open.find(({ from }) => from === undefined) ?? open[0]
    for (const rival of open) if (rival !== first) refuse(rival)
  }
  return { met: claims.filter((claim) => !unmet.has(claim)), unmet: [...unmet] }
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/** One move as it is announced. `at` is the path of the file when all moves are made. */
export type ToldMove = { from: string; to: string; at: string }

/**
 * The order in which moves that were made at once can be announced one after the other: nothing moves to a path before
 * the note there has left it. If notes exchange their paths, one of them is announced as moving by way of
 * `spare(path)`, an unused path. Pure.
 */
export function inTellingOrder(
  moves: readonly { from: string; to: string }[],
  spare: (path: string) => string,
): ToldMove[] {
  const left = new Map(moves.map((move) => [move.from, { ...move, at: move.to }]))
  const told: ToldMove[] = []
  for (const { from } of moves) {
    // The moves that must come before this one, the nearest first.
    const ahead: ToldMove[] = []
    for (let move = left.get(from); move; move = left.get(move.to)) {
      left.delete(move.from)
      ahead.push(move)
    }
    const [first, last] = [ahead[0], ahead.at(-1)]
    if (first && last?.to === first.from) {
      const way = spare(first.from)
      told.push({ ...first, to: way })
      ahead[0] = { ...first, from: way }
    }
    told.push(...ahead.reverse())
  }
  return told
}
