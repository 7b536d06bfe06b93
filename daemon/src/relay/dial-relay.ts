import { endsWithin } from '@svc/shared/kit/within.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { StreamSocket } from '@svc/shared/mux/stream-socket.ts'
import type { RelayHello } from '@svc/shared/wire/tunnel-hello.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import { initialDialState, nextDialState, relayStatus, type DialEvent, type DialState } from './dial-state.ts'
import { judgeReplica } from './judge-replica.ts'
import { openRelaySocket } from './open-relay-socket.ts'
import type { RelayIdentity } from './relay-identity.ts'
import { readRelayKey, sameRelayKey, type RelayKey, type RelayKeySource } from './relay-key.ts'
import { serveTunnel, type ServedTunnel, type Use } from './serve-tunnel.ts'
import { watchRelayKey } from './watch-relay-key.ts'

/** A refused key is not tried again sooner than this, unless the relay says when or the key changes. */
const REFUSED_MS = 15_000
const MAX_SLOTS = 4
const SPREAD_MS = 300
/** After this time all replicas know a new tunnel. Only then does the old one stop taking requests. */
const HANDOVER_MS = 1_000
/** The time for open requests to finish when the daemon stops. */
const STOP_MS = 3_000

export type RelayOptions = {
  /** Value of SVC_RELAY_URL. */
  url: string
  key: RelayKeySource
  identity: RelayIdentity
  version: string
  /** Takes each stream of the relay as a connection of the daemon's own HTTP server. */
  serve: (stream: StreamSocket) => void
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
  stop(use?: Use): Promise<void>
}

type Slot = {
  state: DialState
  session: ServedTunnel | undefined
  key: RelayKey | undefined
  replicaId: string | undefined
  /** A replica that was overloaded and sent this slot away. */
  avoided: string | undefined
  /** The tunnel before this one: it serves until the relay has registered the next one. */
  previous: ServedTunnel | undefined
  spreadTries: number
  interrupt: AbortController
}

/** Dials the relay and keeps as many tunnels open as it requests. Returns at once; failures are retried forever. */
export function dialRelay({ random = Math.random, ...options }: RelayOptions): RelayConnection {
  const { url, key: source, identity, version, serve, proxy, clock, log } = options
  const orgId = new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? ''
  const stopped = new AbortController()
  const slots: Slot[] = []
  const sessions = new Set<ServedTunnel>()
  const loops: Promise<void>[] = []

  const judge = (slot: Slot, hello: RelayHello) => {
    const others = slots.flatMap((one) => (one !== slot && one.session !== undefined ? (one.replicaId ?? '') : []))
    const verdict = judgeReplica({ hello, others, avoided: slot.avoided, spreadTries: slot.spreadTries })
    if (verdict === 'spread') slot.spreadTries += 1
    if (verdict === 'end') {
      log.info({ tunnels: hello.tunnels }, 'the relay wants fewer tunnels')
      slots.splice(slots.indexOf(slot), 1) // a later hello that wants more adds one
      slot.previous?.retire('replaced')
    }
    return verdict
  }

  /** Retires the previous tunnel once this one is registered. Its open requests finish; then the relay closes it. */
  const handOver = async (slot: Slot, session: ServedTunnel): Promise<void> => {
    const { previous } = slot
    const registered = await session.registered
    if (!registered || previous === undefined || slot.previous !== previous || slot.session !== session) return
    slot.previous = undefined
    await clock.sleep(HANDOVER_MS, stopped.signal).catch(() => {})
    previous.retire('replaced')
  }

  /** Keeps a tunnel that takes no more requests, or that is to be replaced, until the next one is registered. */
  const stepBack = (slot: Slot, session: ServedTunnel): void => {
    const { previous } = slot
    if (previous === undefined || !sessions.has(previous) || session.isRegistered()) {
      previous?.retire('replaced')
      slot.previous = session
      return
    }
    // The relay refused this one, or has not registered it yet: it still sends requests to the previous one.
    void session.registered.then((registered) => registered && session.retire('replaced'))
  }

  const move = (slot: Slot, event: DialEvent) => {
    slot.state = nextDialState(slot.state, event)
  }

  /** Opens one tunnel and serves it until it takes no more requests. Returns the delay of the next dial. */
  const connect = async (slot: Slot, key: RelayKey): Promise<number | undefined> => {
    const { socket, resume } = await openRelaySocket({ url, token: key.token, proxy, signal: stopped.signal })
    let verdict: ReturnType<typeof judge> = 'take'
    const session = serveTunnel({
      socket,
      identity,
      orgId,
      version,
      keyGeneration: key.generation,
      accept: (hello) => {
        verdict = judge(slot, hello)
        return verdict === 'take'
      },
      serve,
      clock,
    })
    resume()
    sessions.add(session)
    void session.closed.then(() => sessions.delete(session))
    const hello = await session.ready
    if (verdict !== 'take') return SPREAD_MS * random()
    if (hello === undefined) {
      const { code, reason } = await session.closed
      if (!stopped.signal.aborted) log.warn({ code, reason }, 'the relay closed the tunnel')
      return undefined
    }
    slot.session = session
    slot.key = key
    slot.replicaId = hello.replicaId
    slot.spreadTries = 0
    slot.avoided = undefined
    move(slot, { type: 'opened', atMs: clock.monotonic() })
    log.info({ connectionId: hello.connectionId, replicaId: hello.replicaId }, 'connected to the relay')
    void handOver(slot, session)
    grow(hello.tunnels)

    const goAway = await Promise.race([session.leaving, aborted(slot.interrupt.signal)])
    slot.session = undefined
    slot.key = undefined
    if (goAway !== undefined) stepBack(slot, session)
    if (goAway === 'interrupted') return 0 // a new key
    if (goAway === undefined) {
      const { code, reason } = await session.closed
      if (!stopped.signal.aborted) log.warn({ code, reason }, 'the connection to the relay was lost')
      return undefined
    }
    if (goAway.reason === 'overloaded') slot.avoided = hello.replicaId
    log.info({ reason: goAway.reason, reconnectAfterMs: goAway.reconnectAfterMs }, 'the relay sent a go-away')
    return goAway.reason === 'key_revoked' ? REFUSED_MS : goAway.reconnectAfterMs
  }

  const attempt = async (slot: Slot): Promise<number | undefined> => {
    let failed = 'the daemon key could not be read'
    try {
      const key = await readRelayKey(source)
      failed = 'the relay could not be reached'
      return await connect(slot, key)
    } catch (error) {
      if (stopped.signal.aborted) return undefined
      const failure = toServiceError(error)
      log.warn({ code: failure.code, details: failure.details, err: failure.cause }, failed)
      const seconds = failure.retryAfterSeconds
      // A random part of a second spreads daemons that got the same delay.
      const said = seconds === undefined ? undefined : (seconds + random()) * 1000
      return said ?? (failure.code === 'unauthenticated' ? REFUSED_MS + random() * REFUSED_MS : undefined)
    }
  }

  const run = async (slot: Slot): Promise<void> => {
    while (!stopped.signal.aborted && slots.includes(slot)) {
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
        replicaId: undefined,
        avoided: undefined,
        previous: undefined,
        spreadTries: 0,
        interrupt: new AbortController(),
      }
      slots.push(slot)
      loops.push(run(slot))
    }
  }

  const useKey = (key: RelayKey) => {
    for (const slot of slots) if (!slot.key || !sameRelayKey(slot.key, key)) slot.interrupt.abort()
  }

  grow(1)
  const keyWatch = source.kind === 'file' ? watchRelayKey({ source, onChange: useKey, clock, log }) : undefined
  keyWatch?.start()

  return {
    status: () => {
      const states = slots.map(({ state }) => state)
      const status = relayStatus(true, states)
      // While a slot moves to another replica, its previous tunnel still serves.
      const serving = slots.some(({ previous }) => previous !== undefined && sessions.has(previous))
      return { ...status, controlConnected: status.controlConnected || serving }
    },
    keyGeneration: () => {
      const generations = slots.map(({ key }) => key?.generation).filter((generation) => generation !== undefined)
      return generations.length > 0 ? Math.max(...generations) : undefined
    },
    stop: async (use) => {
      stopped.abort()
      const keyWatchClosed = keyWatch?.close()
      const open = [...sessions]
      const retire = () => sessions.forEach((session) => session.retire('stopping', use?.report().sequence))
      use?.onBegin(retire)
      retire()
      await endsWithin(Promise.all(open.map(({ closed }) => closed)), { ms: STOP_MS, clock })
      for (const session of sessions) session.close()
      await Promise.all([...loops, keyWatchClosed])
    },
  }
}

function aborted(signal: AbortSignal): Promise<'interrupted'> {
  if (signal.aborted) return Promise.resolve('interrupted')
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('interrupted'), { once: true }))
}
