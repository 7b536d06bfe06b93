import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { MuxStream } from '@svc/shared/mux/stream.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import { initialDialState, nextDialState, relayStatus, type DialEvent, type DialState } from './dial-state.ts'
import { openRelaySocket } from './open-relay-socket.ts'
import type { RelayIdentity } from './relay-identity.ts'
import { readRelayKey, sameRelayKey, type RelayKey, type RelayKeySource } from './relay-key.ts'
import { serveTunnel, type TunnelSession } from './serve-tunnel.ts'

const KEY_POLL_MS = 2_000
/** A refused key is not tried again sooner than this, unless the relay says when or the key changes. */
const REFUSED_MS = 15_000
const MAX_SLOTS = 4

export type RelayOptions = {
  /** Value of SVC_RELAY_URL. */
  url: string
  key: RelayKeySource
  identity: RelayIdentity
  version: string
  /** Takes each stream of the relay as a connection of the daemon's own HTTP server. */
  serve: (stream: MuxStream) => void
  /** Value of HTTPS_PROXY, if the relay is to be reached through it. */
  proxy?: string | undefined
  clock: Clock
  log: Log
  random?: () => number
}

/** The daemon's connection to the relay, kept up until it is stopped. */
export type RelayConnection = {
  status(): ReturnType<typeof relayStatus>
  /** Generation of the key that an open tunnel was opened with. */
  keyGeneration(): number | undefined
  stop(): Promise<void>
}

type Slot = {
  state: DialState
  session: TunnelSession | undefined
  key: RelayKey | undefined
  interrupt: AbortController
}

/** Dials the relay and keeps as many tunnels open as it asks for. Answers at once; failures are retried for ever. */
export function dialRelay({ random = Math.random, ...options }: RelayOptions): RelayConnection {
  const { url, key: source, identity, version, serve, proxy, clock, log } = options
  const orgId = new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? ''
  const stopped = new AbortController()
  const slots: Slot[] = []
  const sessions = new Set<TunnelSession>()
  const retired = new Set<TunnelSession>()
  const loops: Promise<void>[] = []

  const move = (slot: Slot, event: DialEvent) => {
    slot.state = nextDialState(slot.state, event)
  }

  /** Opens one tunnel and serves it until no more requests come by it. Answers when the relay wants to be dialed again. */
  const connect = async (slot: Slot): Promise<number | undefined> => {
    const key = await readRelayKey(source)
    const socket = await openRelaySocket({ url, token: key.token, proxy, signal: stopped.signal })
    const session = serveTunnel({
      socket,
      identity,
      orgId,
      version,
      keyGeneration: key.generation,
      serve,
      clock,
    })
    sessions.add(session)
    void session.closed.then(() => sessions.delete(session))
    const hello = await session.ready
    if (hello === undefined) {
      const { code, reason } = await session.closed
      log.warn({ code, reason }, 'the relay closed the tunnel')
      return undefined
    }
    slot.session = session
    slot.key = key
    move(slot, { type: 'opened', atMs: clock.monotonic() })
    log.info({ connectionId: hello.connectionId, replicaId: hello.replicaId }, 'connected to the relay')
    for (const old of retired) old.retire()
    retired.clear()
    grow(hello.tunnels)

    const goAway = await Promise.race([session.leaving, aborted(slot.interrupt.signal)])
    slot.session = undefined
    slot.key = undefined
    if (goAway === 'interrupted') {
      // A new key: the old tunnel serves until the new one is up.
      retired.add(session)
      return 0
    }
    if (goAway === undefined) {
      const { code, reason } = await session.closed
      log.warn({ code, reason }, 'the connection to the relay was lost')
      return undefined
    }
    log.info({ reason: goAway.reason, reconnectAfterMs: goAway.reconnectAfterMs }, 'the relay said goodbye')
    return goAway.reason === 'key_revoked' ? REFUSED_MS : goAway.reconnectAfterMs
  }

  const attempt = async (slot: Slot): Promise<number | undefined> => {
    try {
      return await connect(slot)
    } catch (error) {
      if (stopped.signal.aborted) return undefined
      const failure = toServiceError(error)
      log.warn({ code: failure.code, details: failure.details, err: failure.cause }, 'the relay could not be reached')
      const said = failure.retryAfterSeconds === undefined ? undefined : failure.retryAfterSeconds * 1000
      return said ?? (failure.code === 'unauthenticated' ? REFUSED_MS + random() * REFUSED_MS : undefined)
    }
  }

  const run = async (slot: Slot): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (slot.state.state === 'waiting') {
        const wake = AbortSignal.any([stopped.signal, slot.interrupt.signal])
        await clock.sleep(slot.state.delayMs, wake).catch(() => {})
        if (stopped.signal.aborted) break
      }
      slot.interrupt = new AbortController()
      move(slot, { type: 'dial' })
      const hintMs = await attempt(slot)
      move(slot, {
        type: 'lost',
        atMs: clock.monotonic(),
        random: random(),
        ...(hintMs === undefined ? {} : { hintMs }),
      })
    }
    move(slot, { type: 'stop' })
  }

  const grow = (wanted: number) => {
    while (slots.length < Math.min(wanted, MAX_SLOTS) && !stopped.signal.aborted) {
      const slot: Slot = {
        state: initialDialState,
        session: undefined,
        key: undefined,
        interrupt: new AbortController(),
      }
      slots.push(slot)
      loops.push(run(slot))
    }
  }

  const watchKey = async (): Promise<void> => {
    let last = await readRelayKey(source).catch(() => undefined)
    while (!stopped.signal.aborted) {
      await clock.sleep(KEY_POLL_MS, stopped.signal).catch(() => {})
      const now = await readRelayKey(source).catch(() => undefined)
      if (now === undefined || (last && sameRelayKey(last, now))) continue
      last = now
      log.info({ generation: now.generation }, 'the relay key changed')
      for (const slot of slots) if (!slot.key || !sameRelayKey(slot.key, now)) slot.interrupt.abort()
    }
  }

  grow(1)
  if (source.kind === 'file') loops.push(watchKey())

  return {
    status: () =>
      relayStatus(
        true,
        slots.map(({ state }) => state),
      ),
    keyGeneration: () => {
      const generations = slots.map(({ key }) => key?.generation).filter((generation) => generation !== undefined)
      return generations.length > 0 ? Math.max(...generations) : undefined
    },
    stop: async () => {
      stopped.abort()
      for (const session of sessions) session.close()
      await Promise.all(loops)
    },
  }
}

function aborted(signal: AbortSignal): Promise<'interrupted'> {
  if (signal.aborted) return Promise.resolve('interrupted')
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('interrupted'), { once: true }))
}
