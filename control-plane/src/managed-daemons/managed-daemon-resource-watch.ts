import { fullJitter } from '@svc/shared/kit/backoff.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonEvent } from '@svc/shared/wire/managed-daemon-store.ts'
import { ResourceApiError, type ResourceApi } from './managed-daemon-resource-api.ts'

type Options<Resource> = {
  api: ResourceApi
  clock: Clock
  log: Log
  random: () => number
  /** Every resource, as of one version of the collection. */
  list: (signal: AbortSignal) => Promise<{ daemons: ManagedDaemon[]; version: string }>
  toDaemon: (resource: Resource) => ManagedDaemon
  onEvent: (event: ManagedDaemonEvent) => void
}

type Line<Resource> = { type: string; object: Resource & { code?: number; metadata: { resourceVersion?: string } } }

const BACKOFF = { baseMs: 500, capMs: 20_000 }
const WATCH_SECONDS = 240
// A watch ends by itself before that; each end is followed by a listing, so nothing is lost for longer.
const SILENCE_MS = 300_000

/**
 * Follows the resources: a listing, then changes, then a listing again. A listing is the truth, so an event that was
 * lost costs minutes, never an outcome. Answers how to stop.
 */
export function followResources<Resource>(options: Options<Resource>): () => void {
  const { api, clock, log, random, list, toDaemon, onEvent } = options
  const stop = new AbortController()
  const known = new Map<string, ManagedDaemon>()
  let synced = false

  const tell = (event: ManagedDaemonEvent) => {
    try {
      onEvent(event)
    } catch (error) {
      log.error({ err: error }, 'a watcher of managed daemons failed')
    }
  }
  const removed = ({ name, uid }: ManagedDaemon) => {
    if (known.get(name)?.uid !== uid) return
    known.delete(name)
    tell({ type: 'removed', name, uid })
  }
  const upserted = (daemon: ManagedDaemon) => {
    const before = known.get(daemon.name)
    if (before && before.uid !== daemon.uid) removed(before)
    else if (before && BigInt(before.resourceVersion) >= BigInt(daemon.resourceVersion)) return
    known.set(daemon.name, daemon)
    tell({ type: 'upserted', daemon })
  }

  const listOnce = async (): Promise<string> => {
    const { daemons, version } = await list(stop.signal)
    for (const daemon of daemons) upserted(daemon)
    const names = new Set(daemons.map(({ name }) => name))
    for (const daemon of known.values()) if (!names.has(daemon.name)) removed(daemon)
    if (!synced) tell({ type: 'synced' })
    synced = true
    return version
  }
  const watchFrom = (version: string) => {
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(Math.floor(WATCH_SECONDS * (1 - 0.2 * random()))),
    }
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(SILENCE_MS)])
    return api.follow({ method: 'GET', query, signal }, (line) => {
      const { type, object } = JSON.parse(line) as Line<Resource>
      if (type === 'ERROR') throw new ResourceApiError(object.code ?? 500, 'the watch ended')
      if (type === 'DELETED') removed(toDaemon(object))
      else if (type !== 'BOOKMARK') upserted(toDaemon(object))
    })
  }

  const follow = async () => {
    let attempt = 0
    while (!stop.signal.aborted) {
      try {
        const version = await listOnce()
        attempt = 0
        await watchFrom(version)
      } catch (error) {
        if (stop.signal.aborted) return
        attempt++
        const expired = error instanceof ResourceApiError && error.status === 410
        if (!expired) log.warn({ err: error }, 'the watch of managed daemons was interrupted')
      }
      await clock.sleep(fullJitter(attempt, BACKOFF, random), stop.signal).catch(() => {})
    }
  }
  void follow()
  return () => stop.abort()
}
