import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { DaemonConfig } from './config.ts'
import type { VerifyAssertion } from './entry/caller.ts'
import { createVerifyAssertion } from './entry/verify-assertion.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { dialRelay, type RelayConnection } from './relay/dial-relay.ts'
import type { Use } from './relay/serve-tunnel.ts'
import { loadRelayIdentity } from './relay/relay-identity.ts'
import { noRelay, type RelayState } from './status/relay-state.ts'

/** The daemon's side of the relay, before and after it is dialed. */
export type Relay = {
  verifyAssertion: VerifyAssertion
  status(): RelayState
  keyGeneration(): number | undefined
  /** Dials and keeps dialing. Each stream of the relay becomes a connection of the daemon's own server. */
  dial(serve: (stream: object) => void): Promise<void>
  stop(use: Use): Promise<void>
}

type Deps = {
  relay: NonNullable<DaemonConfig['relay']>
  layout: HomeLayout
  version: string
  clock: Clock
  log: Log
}

export function composeRelay({ relay, layout, version, clock, log }: Deps): Relay {
  let connection: RelayConnection | undefined

  return {
    verifyAssertion: createVerifyAssertion({ clock }),
    status: () => connection?.status() ?? { ...noRelay, configured: true },
    keyGeneration: () => connection?.keyGeneration(),
    async dial(serve) {
      const identity = await loadRelayIdentity(join(layout.daemon, 'relay-identity.pem'))
      connection = dialRelay({ ...relay, identity, version, serve, clock, log })
    },
    stop: async (use) => connection?.stop(use),
  }
}
