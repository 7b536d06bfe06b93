import type { VerificationKey } from '@svc/shared/wire/assertions.ts'

/** What is known about a relayed socket: the tunnel that it came through. */
export type TunnelContext = {
  issuer: string
  orgId: string
  daemonId: string
  connectionId: string
  /** The newest keys that the relay has pushed to this tunnel. */
  keys(): readonly VerificationKey[]
  /** Requests fresh keys from the relay, at most once a minute; resolves when they have arrived or the wait is over. */
  refreshKeys(): Promise<void>
}

const contexts = new WeakMap<object, TunnelContext>()

/**
 * Marks a socket as relayed. Only the tunnel calls this: a request is known as relayed by its socket, never by a
 * header.
 */
export function markRelayed(socket: object, context: TunnelContext): void {
  contexts.set(socket, context)
}

/** The tunnel that a socket came through, or undefined for a local one. */
export function relayedContext(socket: object): TunnelContext | undefined {
  return contexts.get(socket)
}
