import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Revocation } from '../entry/revocation.ts'
import type { PublishedKeys } from './published-keys.ts'
import type { ReviewKeys } from './review-keys.ts'
import type { Tunnels } from './tunnels.ts'

const EVERY_MS = 60_000

type Options = {
  reviewKeys: ReviewKeys
  publishedKeys: Pick<PublishedKeys, 'sendChanged'>
  onRevocation: (listener: (revocation: Revocation) => void) => void
  tunnels: Tunnels
  clock: Clock
  log: Log
}

/** Keeps open tunnels up to date: closes those whose daemon key was revoked, and sends our verification keys. */
export function createKeyUpkeep({ reviewKeys, publishedKeys, onRevocation, tunnels, clock, log }: Options) {
  let revocations = 0
  onRevocation(({ kind, subject }) => {
    if (kind !== 'daemon_keys' && kind !== 'organization') return
    revocations += 1
    reviewKeys(tunnels.list(subject)).catch((error: unknown) => log.error({ err: error }, 'keys were not reviewed'))
  })

  const task = async () => {
    await reviewKeys(tunnels.all())
    await publishedKeys.sendChanged()
  }
  return {
    /** Number of revocations of daemon keys and organizations that arrived here so far. */
    revocationCount: () => revocations,
    ...repeat({ everyMs: EVERY_MS, task, first: 'after_interval', clock, log, name: 'relay upkeep' }),
  }
}
