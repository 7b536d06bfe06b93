import type { AgentClaims, RequestClaims, ServiceClaims } from '@svc/shared/wire/assertions.ts'
import type { TunnelContext } from './tunnel-context.ts'

/** The caller of a relayed request, proved by its assertion. */
export type Caller =
  | { kind: 'person'; claims: RequestClaims }
  | { kind: 'agent'; claims: AgentClaims }
  | { kind: 'service'; claims: ServiceClaims }

/** Verifies the assertion of a relayed request against its tunnel, or fails with `unauthenticated`. */
export type VerifyAssertion = (text: string, context: TunnelContext) => Promise<Caller>
