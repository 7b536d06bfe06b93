import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import type { Revocation } from '../entry/revocation.ts'
import type { SigningKeys } from '../entry/signing-keys.ts'
import type { ReviewKeys } from './review-keys.ts'
import type { Tunnels } from './tunnels.ts'

const EVERY_MS = 60_000

type Options = {
  reviewKeys: ReviewKeys
  signingKeys: Pick<SigningKeys, 'published'>
  onRevocation: (listener: (revocation: Revocation) => void) => void
  tunnels: Tunnels
  clock: Clock
  log: Log
}

/** Keeps open tunnels up to date: closes those whose daemon key was revoked, and sends our verification keys. */
export function createKeyUpkeep({ reviewKeys, signingKeys, onRevocation, tunnels, clock, log }: Options) {
  let revocations = 0
  onRevocation(({ kind, subject }) => {
    if (kind === 'signing_keys')
      publishKeys().catch((error: unknown) => log.error({ err: error }, 'keys were not published'))
    if (kind !== 'daemon_keys' && kind !== 'organization') return
    revocations += 1
    reviewKeys(tunnels.list(subject)).catch((error: unknown) => log.error({ err: error }, 'keys were not reviewed'))
  })

  let publishedText = ''
  const publishKeys = async (): Promise<void> => {
    const keys = await signingKeys.published()
    const text = JSON.stringify(keys)
    const changed = publishedText !== '' && publishedText !== text
    publishedText = text
    if (changed) for (const { tunnel } of tunnels.all()) tunnel.tell(frameTypes.keys, { keys })
  }
  const task = async () => {
    await reviewKeys(tunnels.all())
    await publishKeys()
  }
  return {
    publishKeys,
    /** Number of revocations of daemon keys and organizations that arrived here so far. */
    revocationCount: () => revocations,
    ...repeat({ everyMs: EVERY_MS, task, first: 'after_interval', clock, log, name: 'relay upkeep' }),
  }
}
