import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Db } from '../db/database.ts'
import type { Revocation } from './revocation.ts'
import { revocationsRepository } from './revocations.repository.ts'

const POLL_MS = 2_000
/** Rows are read again for this long: a number can become visible after a higher one, and clocks differ a little. */
const OVERLAP_MS = 60_000
const KEPT_MS = 24 * 60 * 60_000

type FeedOptions = { db: Db; clock: Clock; log: Log }

/** Delivers revocations to the parts of this replica, each within two seconds and once. */
export function createRevocationFeed({ db, clock, log }: FeedOptions) {
  const revocations = revocationsRepository(db, clock)
  const listeners: ((revocation: Revocation) => void)[] = []
  const startedAt = clock.now().getTime()
  let seen = new Set<number>()
  let polls = 0

  /** Reads the log once. */
  const poll = async (): Promise<void> => {
    const now = clock.now().getTime()
    const rows = await revocations.listSince(new Date(Math.max(now - OVERLAP_MS, startedAt - OVERLAP_MS)))
    const fresh = rows.filter(({ seq }) => !seen.has(seq))
    seen = new Set(rows.map(({ seq }) => seq))
    for (const { kind, subject } of fresh) for (const listener of listeners) listener({ kind, subject })
    polls += 1
    if (polls % 1000 === 0) await revocations.deleteBefore(new Date(now - KEPT_MS))
  }

  const loop = repeat({ everyMs: POLL_MS, task: poll, first: 'after_interval', clock, log, name: 'revocations' })
  return {
    onRevocation: (listener: (revocation: Revocation) => void) => void listeners.push(listener),
    poll,
    ...loop,
  }
}
