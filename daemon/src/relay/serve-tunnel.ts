import type { Clock } from '@svc/shared/kit/clock.ts'
import { endsWithin } from '@svc/shared/kit/within.ts'
import { frameTypes } from '@svc/shared/mux/frame.ts'
import type { StreamSocket } from '@svc/shared/mux/stream-socket.ts'
import { Tunnel, type TunnelLimits, type TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import { VerificationKey } from '@svc/shared/wire/assertions.ts'
import { GoAway, instanceProofText, RelayHello, type DaemonHello } from '@svc/shared/wire/tunnel-hello.ts'
import { z } from 'zod'
import { MAX_MESSAGE_BYTES } from './open-relay-socket.ts'
import type { RelayIdentity } from './relay-identity.ts'
import { markRelayed, type TunnelContext } from '../entry/tunnel-context.ts'

const HELLO_MS = 15_000
/** A relay of an older version does not confirm a tunnel; it has registered one well before this time. */
const REGISTERED_MS = 15_000
const REFRESH_EVERY_MS = 60_000
const REFRESH_WAIT_MS = 3_000
/** The limits of this side: in force until the relay sends its own, and the maximum afterwards. */
const limits: TunnelLimits = {
  maxStreams: 2048,
  maxFrameBytes: MAX_MESSAGE_BYTES,
  initialWindow: 1024,
  heartbeatMs: 15_000,
}

const Keys = z.object({ keys: z.array(VerificationKey) })

/** The use of a daemon, told until it has stopped: a late request may change what the last backup has. */
export type Use = { report(): { sequence: string }; onBegin(listener: () => void): void }

export type ServedTunnel = {
  /** Resolves when the tunnel is open for requests, undefined when it never was. */
  ready: Promise<RelayHello | undefined>
  /** Resolves with true when the relay sends requests here, with false when the tunnel closed before. */
  registered: Promise<boolean>
  isRegistered(): boolean
  /** Resolves when no new requests arrive here: the relay said goodbye, or the tunnel closed. */
  leaving: Promise<GoAway | undefined>
  closed: Promise<{ code: number; reason: string }>
  /**
   * Requests that the relay sends no more requests here; it closes the tunnel once open ones are done. `activity`: the
   * use of a daemon that stops.
   */
  retire(reason: 'replaced' | 'stopping', activity?: string): void
  close(): void
}

type Serve = {
  socket: TunnelSocket
  identity: RelayIdentity
  orgId: string
  version: string
  keyGeneration: number | undefined
  /** Returns false to hang up before the relay counts this tunnel. */
  accept: (hello: RelayHello) => boolean
  serve: (stream: StreamSocket) => void
  clock: Clock
}

/** Responds to the relay's hello and passes each of its streams to `serve`, marked as relayed by this very tunnel. */
export function serveTunnel(options: Serve): ServedTunnel {
  const { socket, identity, orgId, version, keyGeneration, accept, serve, clock } = options
  const ready = Promise.withResolvers<RelayHello | undefined>()
  const registered = Promise.withResolvers<boolean>()
  const leaving = Promise.withResolvers<GoAway | undefined>()
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  let context: TunnelContext | undefined
  let keys: readonly VerificationKey[] = []
  let keysCame: () => void = noop
  let isRegistered = false
  const register = () => {
    isRegistered = true
    registered.resolve(true)
  }

  const greet = (value: unknown) => {
    clearTimeout(timer)
    const parsed = RelayHello.safeParse(value)
    if (context !== undefined || !parsed.success) return tunnel.close(1002, 'hello is not valid')
    const hello = parsed.data
    if (hello.orgId !== orgId) return tunnel.close(1008, 'another organization')
    if (!accept(hello)) return tunnel.close(1000, 'not wanted here')
    keys = hello.keys
    context = tunnelContext(hello)
    const answer: DaemonHello = {
      protocol: 1,
      version,
      instanceId: identity.instanceId,
      proof: identity.prove(instanceProofText(hello)),
      maxFrameBytes: limits.maxFrameBytes,
      ...(keyGeneration === undefined ? {} : { keyGeneration }),
    }
    tunnel.tell(frameTypes.hello, answer)
    tunnel.adopt({
      maxStreams: Math.min(hello.maxStreams, limits.maxStreams),
      maxFrameBytes: Math.min(hello.maxFrameBytes, limits.maxFrameBytes),
      initialWindow: hello.initialWindow,
      heartbeatMs: hello.heartbeatSeconds * 1000,
    })
    timer = setTimeout(register, REGISTERED_MS)
    ready.resolve(hello)
  }

  const tunnelContext = ({ issuer, daemonId, connectionId }: RelayHello): TunnelContext => {
    let askedAt = Number.NEGATIVE_INFINITY
    let answered: Promise<void> = Promise.resolve()
    const ask = async () => {
      const came = new Promise<void>((resolve) => (keysCame = resolve))
      tunnel.askForKeys()
      await endsWithin(came, { ms: REFRESH_WAIT_MS, clock })
    }
    return {
      issuer,
      orgId,
      daemonId,
      connectionId,
      keys: () => keys,
      refreshKeys: () => {
        if (clock.monotonic() - askedAt < REFRESH_EVERY_MS) return answered
        askedAt = clock.monotonic()
        answered = ask()
        return answered
      },
    }
  }

  let timer = setTimeout(() => tunnel.close(1008, 'no hello'), HELLO_MS)
  const tunnel: Tunnel = new Tunnel({
    socket,
    side: 'daemon',
    limits,
    clock,
    events: {
      hello: greet,
      stream: (stream) => {
        if (context === undefined) return void stream.destroy(new Error('no hello yet'))
        markRelayed(stream, context)
        serve(stream)
      },
      goAway: (value) =>
        leaving.resolve(GoAway.safeParse(value).data ?? { reason: 'draining', reconnectAfterMs: 1_000 }),
      keys: (value) => {
        const parsed = Keys.safeParse(value)
        if (parsed.success) keys = parsed.data.keys
        keysCame()
      },
      registered: () => {
        if (context === undefined) return tunnel.close(1002, 'registered before hello')
        clearTimeout(timer)
        register()
      },
      closed: (code, reason) => {
        clearTimeout(timer)
        ready.resolve(undefined)
        registered.resolve(false)
        leaving.resolve(undefined)
        closed.resolve({ code, reason })
      },
    },
  })

  return {
    ready: ready.promise,
    registered: registered.promise,
    isRegistered: () => isRegistered,
    leaving: leaving.promise,
    closed: closed.promise,
    retire: (reason, activity) =>
      tunnel.tell(frameTypes.goAway, { reason, reconnectAfterMs: 0, activity } satisfies GoAway),
    close: () => tunnel.close(1001, 'the daemon stops'),
  }
}

function noop(): void {}
