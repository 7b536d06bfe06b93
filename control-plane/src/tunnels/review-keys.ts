import type { GoAway } from '@svc/shared/wire/tunnel-hello.ts'
import type { TunnelKeys } from '../daemon-keys/tunnel-keys.ts'
import { retireTunnel } from './retire-tunnel.ts'
import type { HeldTunnel, Tunnels } from './tunnels.ts'

type Options = { tunnelKeys: Pick<TunnelKeys, 'states'>; tunnels: Tunnels }

/** Closes the tunnels of keys that are no longer valid: at once when revoked, gracefully when replaced. */
export function createReviewKeys({ tunnelKeys, tunnels }: Options) {
  return async (held: HeldTunnel[]): Promise<void> => {
    const states = await tunnelKeys.states([...new Set(held.map(({ keyId }) => keyId))])
    for (const one of held) {
      const state = states.get(one.keyId)
      const replacedByOther = tunnels.list(one.orgId).some(({ instanceKey }) => instanceKey !== one.instanceKey)
      if (state === 'revoked' || (state === 'expired' && replacedByOther)) {
        one.tunnel.leave({ reason: 'key_revoked', reconnectAfterMs: 0 } satisfies GoAway)
        one.tunnel.close(4401, 'key_revoked')
      } else if (state === 'expired') retireTunnel(one, { reason: 'replaced', reconnectAfterMs: 0 })
    }
  }
}

export type ReviewKeys = ReturnType<typeof createReviewKeys>
