import type { onRequestAsyncHookHandler } from 'fastify'
import type { Counted, RateLimit } from './rate-limit.ts'

/** How often one client address may call, under the name by which calls are counted. */
export type AddressLimit = Omit<Counted, 'client'>

/**
 * The hook that limits a route by the real address of its client. Put it after the guard: callers who are not allowed
 * anyway spend nothing of the limit of others at their address.
 */
export function limitByAddress(rateLimit: RateLimit, limit: AddressLimit): onRequestAsyncHookHandler {
  return async ({ clientAddress }) => rateLimit({ ...limit, client: clientAddress })
}
