import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Redis } from 'ioredis'
import { z } from 'zod'
import { repeat } from '../entry/revocation-feed.ts'
import { countReplica, dropReplica, listTunnels, registerTunnel, removeTunnel } from './directory-scripts.ts'
import type { Tenure, TunnelDirectory } from './tunnel-directory.ts'

const ENTRY_MS = 30_000
const REPLICA_MS = 6_000
const REPLICA_BEAT_MS = 2_000
/** What was read is believed this long; changes elsewhere are told at once and only hasten it. */
const FRESH_MS = 2_000
/** While Redis is away, what was known last is better than nothing. */
const STALE_MS = 60_000
const MAX_KNOWN = 20_000
const CHANGES = 'svc:tunnel-changes'
const REPLICAS = 'svc:replicas'

const Entry = z.object({
  connectionId: z.string(),
  replicaId: z.string(),
  url: z.string(),
  daemonId: z.string(),
  keyId: z.number(),
  version: z.string(),
  connectedAt: z.string(),
})

type Options = { redis: Redis; replicaId: string; url: string; clock: Clock; log: Log }
type Known = { tenure: Tenure; readAt: number }

/** The directory that several replicas share: a hash for each organization, whose entries expire unless renewed. */
export function redisDirectory({ redis, replicaId, url, clock, log }: Options): TunnelDirectory {
  const known = new Map<string, Known>()
  const reading = new Map<string, Promise<Tenure>>()
  const changeListeners: ((orgId: string) => void)[] = []
  const returnListeners: (() => void)[] = []
  const subscriber = redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null })
  subscriber.on('error', () => {}) // the first connection reports it
  let replicas = 1
  let leaving = false

  const keyOf = (orgId: string) => `svc:tunnels:${orgId}`
  const tell = (orgId: string) => void redis.publish(CHANGES, `${replicaId} ${orgId}`).catch(() => {})

  const read = async (orgId: string): Promise<Tenure> => {
    const [epoch = '0', ...texts] = (await redis.eval(listTunnels, 1, keyOf(orgId))) as string[]
    const entries = texts.map((text) => Entry.parse(JSON.parse(text)))
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(orgId, { tenure: { epoch: Number(epoch), entries }, readAt: clock.monotonic() })
    return { epoch: Number(epoch), entries }
  }

  const refresh = (orgId: string): Promise<Tenure> => {
    const pending = reading.get(orgId) ?? read(orgId).finally(() => reading.delete(orgId))
    reading.set(orgId, pending)
    return pending.catch((error: unknown) => {
      const last = known.get(orgId)
      if (last && clock.monotonic() - last.readAt < STALE_MS) return last.tenure
      log.warn({ err: error, orgId }, 'the tunnel directory could not be read')
      return { epoch: 0, entries: [] }
    })
  }

  const beat = async () => {
    if (leaving) return
    replicas = Number(await redis.eval(countReplica, 1, REPLICAS, replicaId, REPLICA_MS))
  }
  const beatOrWarn = () => beat().catch((error: unknown) => log.warn({ err: error }, 'the tunnel directory is away'))
  const beats = repeat({ everyMs: REPLICA_BEAT_MS, task: beat, clock, log, name: 'replica count' })

  subscriber.on('message', (_channel: string, message: string) => {
    const [sender, orgId = ''] = message.split(' ')
    if (sender === replicaId) return
    const last = known.get(orgId)
    if (last) last.readAt = Math.min(last.readAt, clock.monotonic() - FRESH_MS)
    for (const listener of changeListeners) listener(orgId)
  })
  redis.on('ready', () => {
    void beatOrWarn()
    for (const listener of returnListeners) listener()
  })

  return {
    register: async ({ orgId, connectionId, daemonId, instanceKey, keyId, version, connectedAt, epoch }) => {
      const entry = { connectionId, replicaId, url, daemonId, keyId, version, connectedAt: connectedAt.toISOString() }
      const text = JSON.stringify(entry satisfies z.input<typeof Entry>)
      const answer = await redis.eval(
        registerTunnel,
        1,
        keyOf(orgId),
        connectionId,
        text,
        instanceKey,
        epoch ?? 0,
        ENTRY_MS,
      )
      if (epoch === undefined) tell(orgId)
      return answer === '0' ? 'superseded' : Number(answer)
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
    replicaCount: () => replicas,
    onChange: (listener) => void changeListeners.push(listener),
    onReturn: (listener) => void returnListeners.push(listener),
    start: async () => {
      if (redis.status === 'ready') await beatOrWarn()
      subscriber.subscribe(CHANGES).catch(() => {})
      beats.start()
    },
    leave: async () => {
      leaving = true
      await redis.eval(dropReplica, 1, REPLICAS, replicaId).catch(() => {})
    },
    close: async () => {
      leaving = true
      await beats.close()
      subscriber.disconnect()
    },
  }
}
