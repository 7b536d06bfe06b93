import type { AgentClaims, RequestClaims, ServiceClaims } from '@svc/shared/wire/assertions.ts'
import type { TunnelContext } from './tunnel-context.ts'

/** Who a relayed request is from, proven by its assertion. */
export type Caller =
  | { kind: 'person'; claims: RequestClaims }
  | { kind: 'agent'; claims: AgentClaims }
  | { kind: 'service'; claims: ServiceClaims }

/** Proves the assertion of a relayed request against the tunnel it came through, or fails with `unauthenticated`. */
export type VerifyAssertion = (text: string, context: TunnelContext) => Promise<Caller>
