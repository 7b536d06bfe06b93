import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { DaemonConfig } from './config.ts'
import type { VerifyAssertion } from './entry/caller.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { noRelay, type RelayState } from './status/relay-state.ts'

/** The daemon's side of the relay, before and after it is dialed. */
export type Relay = {
  verifyAssertion: VerifyAssertion
  status(): RelayState
  keyGeneration(): number | undefined
  /** Dials and keeps dialing; each stream of the relay is a connection of the daemon's own server. */
  dial(serve: (stream: object) => void): Promise<void>
  stop(): Promise<void>
}

type Deps = { config: DaemonConfig; layout: HomeLayout; version: string; clock: Clock; log: Log }

/** Prepares the relay, where one is configured; its code is loaded only then. */
export async function prepareRelay({ config, layout, version, clock, log }: Deps): Promise<Relay> {
  const { relay } = config
  if (!relay) return withoutRelay

  const { createVerifyAssertion } = await import('./entry/verify-assertion.ts')
  const { dialRelay } = await import('./relay/dial-relay.ts')
  const { loadRelayIdentity } = await import('./relay/relay-identity.ts')
  let connection: ReturnType<typeof dialRelay> | undefined

  return {
    verifyAssertion: createVerifyAssertion({ clock }),
    status: () => connection?.status() ?? { ...noRelay, configured: true },
    keyGeneration: () => connection?.keyGeneration(),
    async dial(serve) {
      const identity = await loadRelayIdentity(join(layout.daemon, 'relay-identity.pem'))
      connection = dialRelay({ ...relay, identity, version, serve, clock, log })
    },
    stop: async () => connection?.stop(),
  }
}

const withoutRelay: Relay = {
  verifyAssertion: async () => {
    throw fail('unauthenticated')
  },
  status: () => noRelay,
  keyGeneration: () => undefined,
  dial: async () => {},
  stop: async () => {},
}
