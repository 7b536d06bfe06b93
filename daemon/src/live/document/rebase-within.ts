import type { ChangeSet } from '@codemirror/state'
import { fail } from '@svc/shared/wire/errors.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { rebaseOver, type ClientChange, type ClientChanges } from '../../edits/rebase-over.ts'
import { sectionsOf } from './changes-size.ts'

// To rebase over more costs more than to send the client what it missed, and holds up everybody else.
const MAX_PAIRS = 20_000
const MAX_SECTIONS = 400_000
// Deletions fall apart where others have inserted text, so a push may grow. It is applied within the same turn.
const MAX_REBASED = 2 * liveLimits.maxPushSections

/**
 * Does the same as `rebaseOverAll`, in bounded time: fails with `stale_doc` when that takes too much work. The client
 * then rebases its changes itself.
 */
export function rebaseWithin(
  { client, changes }: ClientChanges,
  others: readonly ClientChange[],
): readonly ChangeSet[] {
  let mine = changes
  let pairs = 0
  let sections = 0
  for (const other of others) {
    if (other.client === client) {
      mine = mine.slice(1)
      continue
    }
    let over = other
    mine = mine.map((change) => {
      pairs += 1
      sections += sectionsOf(change) + sectionsOf(over.changes)
      if (pairs > MAX_PAIRS || sections > MAX_SECTIONS) throw tooOld()
      const rebased = rebaseOver({ client, changes: [change] }, over)
      over = { client: other.client, changes: rebased.other }
      return rebased.mine[0]!
    })
  }
  if (mine.reduce((sum, change) => sum + sectionsOf(change), 0) > MAX_REBASED) throw tooOld()
  return mine
}

const tooOld = () => fail('stale_doc', { reason: 'The version is too old.' })
