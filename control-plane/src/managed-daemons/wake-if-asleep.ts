import type { Hosted, HostedState } from './hosted-state.ts'
import type { Wake } from './wake-daemon.ts'

type Deps = { findHosted(orgId: string): Promise<Hosted>; wake: Wake }

/** Reads the state of a daemon for somebody who waits for it, and wakes it if it sleeps. Returns the state before. */
export function createWakeIfAsleep({ findHosted, wake }: Deps) {
  return async (orgId: string): Promise<HostedState> => {
    const { state, resource } = await findHosted(orgId)
    if (state === 'sleeping') await wake(orgId, resource)
    return state
  }
}
