import type { ChangeSet } from '@codemirror/state'
import type { LiveUpdate } from './live-update.ts'

/**
 * Consecutive changes as one; undefined for none. Composes neighbours first, so that the first change is not walked
 * again for each of the others. Pure.
 */
export function composeAll(list: readonly ChangeSet[]): ChangeSet | undefined {
  let all = list
  while (all.length > 1) {
    const next: ChangeSet[] = []
    for (let at = 0; at < all.length; at += 2) next.push(all[at + 1] ? all[at]!.compose(all[at + 1]!) : all[at]!)
    all = next
  }
  return all[0]
}

/** The changes of consecutive updates as one. */
export const changesOf = (updates: readonly Pick<LiveUpdate, 'changes'>[]): ChangeSet | undefined =>
  composeAll(updates.map(({ changes }) => changes))
