import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Relay } from './compose-relay.ts'
import type { DaemonConfig } from './config.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { noRelay } from './status/relay-state.ts'

type Deps = { config: DaemonConfig; layout: HomeLayout; version: string; clock: Clock; log: Log }

/** Prepares the relay, if one is configured; its code is loaded only in that case. */
export async function prepareRelay({ config, layout, version, clock, log }: Deps): Promise<Relay> {
  const { relay } = config
  if (!relay) return withoutRelay

  const { composeRelay } = await import('./compose-relay.ts')
  return composeRelay({ relay, layout, version, clock, log })
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
