import type { Clock } from '@svc/shared/kit/clock.ts'
import { mintAgentAssertion } from './mint-assertion.ts'
import type { Signer } from './signing-keys.ts'

/** Stop using an assertion this long before it expires, so that it is still valid when the daemon reads it. */
const MARGIN_MS = 10_000
const MAX_KNOWN = 2_000

type Claims = Parameters<typeof mintAgentAssertion>[1]
type Minted = Awaited<ReturnType<Signer>>

/**
 * The assertion of an agent's call. Calls with the same claims share one for some seconds: it is signed once, and the
 * daemon verifies it once. What a call may do is decided for every call, and is part of the claims.
 */
export function createAgentAssertions({ sign, clock }: { sign: Signer; clock: Pick<Clock, 'now'> }) {
  const known = new Map<string, Promise<Minted>>()

  return async (claims: Claims): Promise<string> => {
    const key = JSON.stringify(claims)
    const found = await known.get(key)?.catch(() => undefined)
    if (found && found.expiresAt.getTime() - clock.now().getTime() > MARGIN_MS) return found.text
    if (known.size >= MAX_KNOWN) known.clear()
    const minting = mintAgentAssertion(sign, claims)
    known.set(key, minting)
    return (await minting).text
  }
}

export type AgentAssertions = ReturnType<typeof createAgentAssertions>
