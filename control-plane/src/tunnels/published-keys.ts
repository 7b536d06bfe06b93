import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import type { VerificationKey } from '@svc/shared/wire/assertions.ts'
import { keepLookups } from '../entry/kept-lookups.ts'
import type { Revocation } from '../entry/revocation.ts'
import type { SigningKeys } from '../entry/signing-keys.ts'
import type { HeldTunnel, Tunnels } from './tunnels.ts'

const FRESH_MS = 1_000
const ALL = 'all'

type Options = {
  signingKeys: Pick<SigningKeys, 'published'>
  onRevocation: (listener: (revocation: Revocation) => void) => void
  tunnels: Tunnels
  clock: Pick<Clock, 'monotonic'>
  log: Log
}

type Receiver = Pick<HeldTunnel, 'tunnel'>

const tell = (to: readonly Receiver[], keys: VerificationKey[]): void => {
  for (const { tunnel } of to) tunnel.tell(frameTypes.keys, { keys })
}

/** Gives daemons the keys that verify our assertions: at dial-in, and again whenever they change. */
export function createPublishedKeys({ signingKeys, onRevocation, tunnels, clock, log }: Options) {
  let withdrawals = 0
  let sentText = ''
  // Many daemons that dial together cost one query.
  const kept = keepLookups<VerificationKey[]>({
    readAll: async () => new Map([[ALL, await signingKeys.published()]]),
    freshMs: FRESH_MS,
    maxKept: 1,
    clock,
  })

  const send = async (to: readonly Receiver[]): Promise<void> => tell(to, await signingKeys.published())

  onRevocation(({ kind }) => {
    if (kind !== 'signing_keys') return
    withdrawals += 1
    kept.forget(ALL)
    send(tunnels.all()).catch((error: unknown) => log.error({ err: error }, 'keys were not published'))
  })

  return {
    /** The keys for a daemon that dials in, at most a second old. */
    latest: async (): Promise<VerificationKey[]> => (await kept.find(ALL)) ?? [],
    /** Sends the present keys to some daemons. */
    send,
    /** Sends the keys to all daemons if they differ from those that were sent last. */
    sendChanged: async (): Promise<void> => {
      const keys = await signingKeys.published()
      const text = JSON.stringify(keys)
      if (text === sentText) return
      tell(tunnels.all(), keys)
      sentText = text
    },
    /** How often keys were withdrawn at once, as far as this replica knows. */
    withdrawals: () => withdrawals,
  }
}

export type PublishedKeys = ReturnType<typeof createPublishedKeys>
