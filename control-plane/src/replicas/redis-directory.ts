import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { ReplyError, type Redis } from 'ioredis'
import { z } from 'zod'
import { beatReplica, dropReplica, listTunnels, registerTunnel, removeTunnel } from './directory-scripts.ts'
import { MAX_ENTRIES, type Replica, type Tenure, type TunnelDirectory } from './tunnel-directory.ts'

const ENTRY_MS = 30_000
const REPLICA_MS = 6_000
const REPLICA_BEAT_MS = 2_000
/** Cached entries are valid for this long. Change messages from other replicas only shorten it. */
const FRESH_MS = 2_000
/** While Redis is unavailable, use the last known entries for this long. */
const STALE_MS = 60_000
const MAX_KNOWN = 20_000
const CHANGES = 'svc:tunnel-changes'
/** Sent in place of an organization id: a replica joined or leaves. */
const EVERY_REPLICA = '*'
const REPLICAS = 'svc:replicas'
// The braces hold the part that selects the slot in a Redis cluster: both keys of a script share it.
const LOADS = '{svc:replicas}:tunnels'

const Entry = z.object({
  connectionId: z.string(),
  replicaId: z.string(),
  url: z.string(),
  daemonId: z.string(),
  keyId: z.number(),
  version: z.string(),
  connectedAt: z.string(),
  leaving: z.boolean().default(false),
})

type Options = {
  redis: Redis
  replicaId: string
  url: string
  /** Tunnels that this replica holds; undefined when it accepts none, as a worker. */
  tunnelCount: (() => number) | undefined
  clock: Clock
  log: Log
}
type Known = { tenure: Tenure; readAt: number }

/** The shared directory of several replicas: a hash for each organization, whose entries expire unless renewed. */
export function createRedisDirectory({ redis, replicaId, url, tunnelCount, clock, log }: Options): TunnelDirectory {
  const known = new Map<string, Known>()
  const reading = new Map<string, Promise<Tenure>>()
  const changeListeners: ((orgId: string) => void)[] = []
  const returnListeners: (() => void)[] = []
  // Subscribes by itself: nobody could handle the error of a subscription that ioredis renews.
  const subscriber = redis.duplicate({ maxRetriesPerRequest: null, autoResubscribe: false })
  subscriber.on('error', () => {}) // the first connection reports it
  subscriber.on('ready', () => {
    subscriber.subscribe(CHANGES).catch((error: unknown) => {
      if (subscriber.status === 'end') return
      log.warn({ err: error }, 'changes of the tunnel directory are not announced to this replica')
      // Redis refuses the subscription again on another connection, but one that does not answer may be broken.
      if (!(error instanceof ReplyError)) subscriber.disconnect(true)
    })
  })
  let replicas: Replica[] = []
  let replicasReadAt = Number.NEGATIVE_INFINITY
  let leaving = tunnelCount === undefined
  let announced = false

  const keyOf = (orgId: string) => `svc:tunnels:${orgId}`
  const tell = (orgId: string) => void redis.publish(CHANGES, `${replicaId} ${orgId}`).catch(() => {})

  const read = async (orgId: string): Promise<Tenure> => {
    const [epoch = '0', ...texts] = (await redis.eval(listTunnels, 1, keyOf(orgId))) as string[]
    const tenure = { epoch: Number(epoch), entries: texts.map((text) => Entry.parse(JSON.parse(text))) }
    const last = known.get(orgId)
    if (last && isForgotten(last, tenure)) return last.tenure
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(orgId, { tenure, readAt: clock.monotonic() })
    return tenure
  }

  /**
   * True if Redis has lost its data, as after a crash, and the replicas have not renewed the entries yet: an epoch
   * outlives its entries by `ENTRY_MS`. Until they have, use the last known entries.
   */
  const isForgotten = ({ tenure, readAt }: Known, now: Tenure): boolean =>
    now.epoch === 0 && tenure.entries.length > 0 && clock.monotonic() - readAt < ENTRY_MS

  /** Reads once for all who ask at the same time. */
  const readTogether = (orgId: string): Promise<Tenure> => {
    const underWay = reading.get(orgId)
    if (underWay !== undefined) return underWay
    const pending = read(orgId).finally(() => {
      if (reading.get(orgId) === pending) reading.delete(orgId)
    })
    reading.set(orgId, pending)
    return pending
  }

  const refresh = (orgId: string): Promise<Tenure> =>
    readTogether(orgId).catch((error: unknown) => {
      const last = known.get(orgId)
      if (last && clock.monotonic() - last.readAt < STALE_MS) return last.tenure
      log.warn({ err: error, orgId }, 'the tunnel directory could not be read')
      return { epoch: 0, entries: [] }
    })

  const beat = async () => {
    if (leaving) return
    const count = tunnelCount?.() ?? 0
    const answer = (await redis.eval(beatReplica, 2, REPLICAS, LOADS, replicaId, REPLICA_MS, count)) as string[]
    replicas = Array.from({ length: answer.length / 2 }, (_, i) => ({
      replicaId: answer[2 * i]!,
      tunnels: answer[2 * i + 1] === '' ? undefined : Number(answer[2 * i + 1]),
    }))
    replicasReadAt = clock.monotonic()
    if (!announced) tell(EVERY_REPLICA)
    announced = true
  }
  const beatOrWarn = () => beat().catch((error: unknown) => log.warn({ err: error }, 'the tunnel directory is away'))
  const beats = repeat({
    everyMs: REPLICA_BEAT_MS,
    task: beat,
    first: 'after_interval',
    clock,
    log,
    name: 'replica count',
  })

  subscriber.on('message', (_channel: string, message: string) => {
    const [sender, orgId = ''] = message.split(' ')
    if (sender === replicaId) return
    if (orgId === EVERY_REPLICA) return void beatOrWarn()
    const last = known.get(orgId)
    if (last) last.readAt = Math.min(last.readAt, clock.monotonic() - FRESH_MS)
    // A reading under way may have begun before the change.
    reading.delete(orgId)
    for (const listener of changeListeners) listener(orgId)
  })
  redis.on('ready', () => {
    void beatOrWarn()
    for (const listener of returnListeners) listener()
  })

  return {
    register: async ({ orgId, connectionId, daemonId, instanceKey, keyId, version, connectedAt, epoch, leaving }) => {
      const connected = connectedAt.toISOString()
      const entry = { connectionId, replicaId, url, daemonId, keyId, version, connectedAt: connected, leaving }
      const text = JSON.stringify(entry satisfies z.input<typeof Entry>)
      const [tenure, tunnels] = (await redis.eval(
        registerTunnel,
        1,
        keyOf(orgId),
        connectionId,
        text,
        instanceKey,
        epoch ?? 0,
        ENTRY_MS,
        MAX_ENTRIES,
      )) as [string, number]
      if (tenure === '0') return 'superseded'
      if (tunnels > MAX_ENTRIES) return 'full'
      if (epoch === undefined) tell(orgId)
      return { epoch: Number(tenure), tunnels }
    },
    remove: async (orgId, connectionId) => {
      await redis.eval(removeTunnel, 1, keyOf(orgId), connectionId)
      tell(orgId)
    },
    find: (orgId) => {
      const last = known.get(orgId)
      return last && clock.monotonic() - last.readAt < FRESH_MS ? Promise.resolve(last.tenure) : refresh(orgId)
    },
    refresh,
    replicaCount: () => Math.max(1, replicas.length),
    replicas: () => (clock.monotonic() - replicasReadAt < REPLICA_MS ? replicas : []),
    onChange: (listener) => void changeListeners.push(listener),
    onReturn: (listener) => void returnListeners.push(listener),
    start: async () => {
      if (redis.status === 'ready') await beatOrWarn()
      beats.start()
    },
    leave: async () => {
      leaving = true
      await redis.eval(dropReplica, 1, REPLICAS, replicaId).catch(() => {})
      tell(EVERY_REPLICA)
    },
    close: async () => {
      leaving = true
      await beats.close()
      subscriber.disconnect()
    },
  }
}
