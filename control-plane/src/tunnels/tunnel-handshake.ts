import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import { Tunnel, type TunnelLimits, type TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { VerificationKey } from '@svc/shared/wire/assertions.ts'
import { DaemonHello, GoAway, instanceProofText, type RelayHello } from '@svc/shared/wire/tunnel-hello.ts'

const HELLO_MS = 10_000
const CHALLENGE_BYTES = 32

export const relayLimits = {
  maxStreams: 1024,
  maxFrameBytes: 256 * 1024,
  initialWindow: 64 * 1024,
  heartbeatMs: 15_000,
} satisfies TunnelLimits

type Handshake = {
  socket: TunnelSocket
  clock: Clock
  identity: Pick<RelayHello, 'issuer' | 'orgId' | 'daemonId' | 'replicaId' | 'connectionId' | 'tunnels' | 'replicas'>
  keys: readonly VerificationKey[]
  on: {
    keysWanted: (tunnel: Tunnel) => void
    /** The daemon wants no more streams here; a newer version of it may have a reason that is unknown here. */
    leaving: (goAway: GoAway | undefined) => void
    failed: (error: unknown) => void
    closed: (tunnel: Tunnel, code: number, reason: string) => void
  }
}
/** A tunnel whose daemon has proven its instance. */
export type Greeted = { tunnel: Tunnel; hello: DaemonHello }

/** What a handshake needs until the daemon has responded. It is freed then, because tunnels are open for days. */
type Waiting = { hello: RelayHello; timer: NodeJS.Timeout; answer: (greeted: Greeted | undefined) => void }

/** Sends the relay's hello, waits for the daemon's and checks its proof. Resolves with undefined if the handshake failed. */
export function greetDaemon({ socket, clock, identity, keys, on }: Handshake): Promise<Greeted | undefined> {
  const { promise, resolve } = Promise.withResolvers<Greeted | undefined>()
  const timer = setTimeout(() => tunnel.close(1008, 'no hello'), HELLO_MS)
  let waiting: Waiting | undefined = { hello: helloOf(identity, keys), timer, answer: resolve }

  const answered = (): Waiting | undefined => {
    const was = waiting
    clearTimeout(was?.timer)
    waiting = undefined
    return was
  }
  const tunnel: Tunnel = new Tunnel({
    socket,
    side: 'relay',
    limits: relayLimits,
    clock,
    events: {
      hello: (value) => {
        const parsed = DaemonHello.safeParse(value)
        if (waiting === undefined) return tunnel.close(1002, 'second hello')
        if (!parsed.success) return tunnel.close(1002, 'hello is not valid')
        if (!provesInstance(waiting.hello, parsed.data)) return tunnel.close(1008, 'proof is not valid')
        tunnel.adopt({ maxFrameBytes: Math.min(relayLimits.maxFrameBytes, parsed.data.maxFrameBytes) })
        answered()?.answer({ tunnel, hello: parsed.data })
      },
      goAway: (value) => on.leaving(GoAway.safeParse(value).data),
      keysWanted: () => on.keysWanted(tunnel),
      failed: on.failed,
      closed: (code, reason) => {
        answered()?.answer(undefined)
        on.closed(tunnel, code, reason)
      },
    },
  })
  tunnel.tell(frameTypes.hello, waiting.hello)
  return promise
}

function helloOf(identity: Handshake['identity'], keys: readonly VerificationKey[]): RelayHello {
  return {
    protocol: 1,
    challenge: randomBytes(CHALLENGE_BYTES).toString('base64url'),
    ...identity,
    maxFrameBytes: relayLimits.maxFrameBytes,
    maxStreams: relayLimits.maxStreams,
    initialWindow: relayLimits.initialWindow,
    heartbeatSeconds: relayLimits.heartbeatMs / 1000,
    keys: [...keys],
  }
}

function provesInstance(hello: RelayHello, { instanceId, proof }: DaemonHello): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: instanceId }, format: 'jwk' })
    return verify(null, Buffer.from(instanceProofText(hello)), key, Buffer.from(proof, 'base64url'))
  } catch {
    return false
  }
}
