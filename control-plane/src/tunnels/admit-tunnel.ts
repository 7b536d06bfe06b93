import { randomUUID } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Tunnel, TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import type { VerificationKey } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { LiveKey, TunnelKeys } from '../daemon-keys/tunnel-keys.ts'
import type { Counters } from '../http/rate-limit.ts'
import type { AcceptBudget, Slot } from './accept-budget.ts'
import { DaemonPool } from './daemon-pool.ts'
import { createDialBudget } from './dial-budget.ts'
import type { PublishTunnels } from '../replicas/publish-tunnels.ts'
import type { PublishedKeys } from './published-keys.ts'
import { retireTunnel } from './retire-tunnel.ts'
import type { ReviewKeys } from './review-keys.ts'
import type { SourceBudget } from './source-budget.ts'
import { greetDaemon } from './tunnel-handshake.ts'
import type { HeldTunnel, Tunnels } from './tunnels.ts'
import { createWrongKeyLimit } from './wrong-key-limit.ts'

/** Tunnels that one daemon may hold at most, on all replicas together. */
export const MAX_TUNNELS = 4
const KEYS_EVERY_MS = 10_000

/** The parts of a dial-in request that are used. */
export type TunnelRequest = {
  orgId: string | undefined
  key: string | undefined
  offersProtocol: boolean
  /** Address of the client, behind the trusted proxies. */
  source: string
}

/** A daemon that may open a tunnel, and what its relay hello needs. */
type Admitted = {
  key: LiveKey
  verificationKeys: VerificationKey[]
  /** How often signing keys had been withdrawn before these were read. */
  withdrawals: number
}

type Options = {
  tunnelKeys: Pick<TunnelKeys, 'find' | 'connect' | 'disconnected'>
  tunnels: Tunnels
  publishedKeys: Pick<PublishedKeys, 'latest' | 'send' | 'withdrawals'>
  isHosted: (orgId: string) => Promise<boolean>
  identity: { issuer: string; replicaId: string; tunnels: number }
  maxTunnelsOf: (orgId: string) => number
  /** Replicas that accept tunnels now. */
  replicas: () => number
  accepting: () => boolean
  /** Budget of tunnels that this replica accepts. */
  budget: AcceptBudget
  /** Budget of key look-ups for each source. */
  lookups: SourceBudget
  /** Where replicas count wrong keys together. */
  counters?: Counters | undefined
  publishing: Pick<PublishTunnels, 'hold' | 'left'>
  reviewKeys: ReviewKeys
  /** Number of revocations of daemon keys and organizations that arrived here so far. */
  revocationCount: () => number
  /** Called when a daemon's tunnel takes no more requests, and when it is gone. */
  left: (orgId: string) => void
  /** Called once for a tunnel that the daemon leaves because it stops or sleeps: it is not lost. */
  daemonLeft: () => void
  /** Called when the tunnel of a daemon that stopped is gone, with its use until then. */
  stopped: (orgId: string, activity: string) => void
  clock: Clock
  log: Log
}

/** Decides which daemon may open a tunnel to this replica, and holds the tunnel. */
export function createAdmitTunnel(options: Options) {
  const {
    tunnelKeys,
    tunnels,
    publishedKeys,
    isHosted,
    identity,
    accepting,
    budget,
    lookups,
    publishing,
    reviewKeys,
    revocationCount,
    left,
    daemonLeft,
    stopped,
    clock,
    log,
  } = options
  const wrongKeys = createWrongKeyLimit(clock, options.counters)
  const dials = createDialBudget(clock)

  /** Waits for a slot, or fails with the delay before the next dial. */
  const reach = async (slot: Slot): Promise<void> => {
    if ('retryAfterSeconds' in slot) throw fail('relay_overloaded', undefined, slot)
    if (slot.waitMs > 0) await clock.sleep(slot.waitMs)
    if (!accepting()) throw fail('relay_overloaded', undefined, { retryAfterSeconds: 1 })
  }

  /**
   * Checks the key before the upgrade. Also reads what the handshake needs, because from the upgrade on nothing may be
   * awaited until the tunnel listens to its WebSocket: an error that nobody listens for ends the process.
   */
  const check = async ({ orgId, key, offersProtocol, source }: TunnelRequest): Promise<Admitted> => {
    if (!accepting()) throw fail('relay_overloaded', undefined, { retryAfterSeconds: 1 })
    const wait = wrongKeys.waitSeconds(source)
    if (wait > 0) throw fail('too_many_requests', undefined, { retryAfterSeconds: wait })
    if (orgId === undefined || key === undefined) throw fail('unauthenticated')
    if (!offersProtocol) throw fail('invalid_request', [{ path: 'sec-websocket-protocol', message: 'is not offered' }])
    const pause = dials.waitSeconds(key)
    if (pause > 0) throw fail('too_many_requests', undefined, { retryAfterSeconds: pause })
    await reach(lookups.take(source))

    const found = await tunnelKeys.find(key, orgId)
    if (found !== undefined) {
      // Only daemons with a verified key may spend the shared budget.
      await reach(budget.take())
      dials.count(key)
      const withdrawals = publishedKeys.withdrawals()
      return { key: found, withdrawals, verificationKeys: await publishedKeys.latest() }
    }
    // The hash of a hosted daemon's new key arrives through the resource, which takes a moment.
    if (await isHosted(orgId)) throw fail('daemon_waking', undefined, { retryAfterSeconds: 2 })
    wrongKeys.count(source)
    log.warn({ orgId, source }, 'a daemon showed a wrong key')
    throw fail('unauthenticated')
  }

  const greet = async ({ key, verificationKeys, withdrawals }: Admitted, socket: TunnelSocket): Promise<void> => {
    const { orgId, daemonId, keyId } = key
    const connectionId = randomUUID()
    let keysSentAt = clock.monotonic()
    let held: HeldTunnel | undefined
    let daemonLeaves = false
    let lastActivity: string | undefined

    const sendKeys = async (tunnel: Tunnel) => {
      if (clock.monotonic() - keysSentAt < KEYS_EVERY_MS) return
      keysSentAt = clock.monotonic()
      await publishedKeys.send([{ tunnel }])
    }
    const gone = (code: number, reason: string) => {
      if (held === undefined) return
      tunnels.remove(held)
      for (const hop of held.hops) hop.close(1012, 'the tunnel is gone')
      publishing.left(held)
      left(orgId)
      if (lastActivity !== undefined) stopped(orgId, lastActivity)
      log.info({ orgId, connectionId, code, reason }, 'a tunnel closed')
      tunnelKeys.disconnected(daemonId)
    }

    const greeted = await greetDaemon({
      socket,
      clock,
      identity: {
        ...identity,
        tunnels: Math.min(identity.tunnels, options.maxTunnelsOf(orgId)),
        replicas: options.replicas(),
        orgId,
        daemonId,
        connectionId,
      },
      keys: verificationKeys,
      on: {
        keysWanted: (tunnel) => report(sendKeys(tunnel), log),
        leaving: (goAway) => {
          lastActivity = goAway?.activity
          // A repeated go-away must cost nothing: each write to the directory goes to the Redis that all tenants share.
          if (daemonLeaves) return
          daemonLeaves = true
          if (held === undefined) return
          if (goAway?.reason === 'stopping') daemonLeft()
          // The daemon's next tunnel may still wait for its registration. Requests are held until it has one.
          left(orgId)
          retireTunnel(held, { reason: 'replaced', reconnectAfterMs: 0 })
          publishing.left(held)
        },
        failed: (err) => log.error({ orgId, daemonId, err }, 'a tunnel is closed because of an unexpected error'),
        closed: (_tunnel, code, reason) => gone(code, reason),
      },
    })
    if (greeted === undefined) return
    const { tunnel, hello } = greeted

    const home = { instanceKey: hello.instanceId, version: hello.version }
    const revocationsBefore = revocationCount()
    const outcome = await tunnelKeys.connect(key, home)
    if (outcome === 'key_ended') {
      tunnel.leave({ reason: 'key_revoked', reconnectAfterMs: 0 })
      return tunnel.close(4401, 'key_revoked')
    }
    if (outcome === 'instance_conflict') {
      log.warn({ orgId, connectionId }, 'another home showed a key that is bound to a first one')
      tunnel.leave({ reason: 'instance_conflict', reconnectAfterMs: 60_000 })
      return tunnel.close(4409, 'daemon_instance_conflict')
    }
    if (tunnel.closed) return
    // It would get requests until the daemon cuts them.
    if (daemonLeaves) return tunnel.close(1012, 'the daemon leaves')

    held = {
      connectionId,
      orgId,
      daemonId,
      keyId,
      instanceKey: hello.instanceId,
      version: hello.version,
      connectedAt: clock.now(),
      tunnel,
      pool: new DaemonPool(tunnel),
      epoch: undefined,
      leaving: false,
      retiring: false,
      hops: new Set(),
    }
    if (!(await publishing.hold(held))) return
    tunnel.confirm()
    log.info({ orgId, connectionId, version: hello.version }, 'a daemon connected')
    // What arrived before the tunnel was registered did not see it, so check again.
    if (publishedKeys.withdrawals() !== withdrawals) await publishedKeys.send([held])
    if (revocationCount() !== revocationsBefore) await reviewKeys([held])
  }

  return {
    check,
    accept: (admitted: Admitted, socket: TunnelSocket): void =>
      report(greet(admitted, socket), log, () => socket.terminate()),
  }
}

export type AdmitTunnel = ReturnType<typeof createAdmitTunnel>

function report(work: Promise<unknown>, log: Log, undo = () => {}): void {
  work.catch((error: unknown) => {
    log.error({ err: error }, 'a tunnel could not be served')
    undo()
  })
}
