import { fullJitter, type BackoffLimits } from '@svc/shared/kit/backoff.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import {
  StoreConflict,
  type ManagedDaemonEvent,
  type ManagedDaemonStore,
} from '@svc/shared/wire/managed-daemon-store.ts'
import { defaultLimits, type PlanLimits } from '../managed-daemon/plan-limits.ts'
import { createReconcileDaemon } from '../managed-daemon/reconcile.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { takeCensus, type Census } from './census.ts'
import { KeyedTimers } from './keyed-timers.ts'
import { DaemonCache } from './daemon-cache.ts'
import { priorityOf } from './priority.ts'
import { createReconcilerCounters, type ReconcilerMetrics } from './reconciler-metrics.ts'
import { createWaitAges } from './wait-ages.ts'
import { WorkQueue } from './work-queue.ts'

const BACKOFF: BackoffLimits = { baseMs: 500, capMs: 60_000 }
// Another process wrote; the newer version has been read already.
const CONFLICT_BACKOFF = { baseMs: 20, capMs: 5_000 }
const RESYNC_MS = 600_000
// A start takes about ten passes without a pause. A step that works and changes nothing must not be repeated at full speed.
const PASSES_AT_ONCE = 30

export type ReconcilerOptions = {
  store: ManagedDaemonStore
  runtime: Runtime
  clock: Clock
  log: Log
  /** Source of jitter, in [0, 1). */
  random: () => number
  limits?: PlanLimits
  workers?: number
  /** Delays between attempts for a failing daemon. */
  backoff?: BackoffLimits
  resyncMs?: number
}

export type Reconciler = {
  start(): void
  /** Takes no new work and waits for the running passes. The runtime is left as it is. */
  stop(): Promise<void>
  /** True once every resource of the first listing has been given to a worker. */
  hasSynced(): boolean
  metrics(): ReconcilerMetrics
  /** Counts the daemons by their statuses. */
  census(): Census
}

/**
 * Drives each ManagedDaemon of the store to its desired state at the runtime. Level-based: a lost event costs only
 * time.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const {
    store,
    runtime,
    clock,
    log,
    random,
    limits = defaultLimits,
    workers = 8,
    resyncMs = RESYNC_MS,
    backoff = BACKOFF,
  } = options
  const cache = new DaemonCache()
  const queue = new WorkQueue(clock.monotonic)
  const metrics = createReconcilerCounters(() => queue.depth)
  const revisits = new KeyedTimers(clock, (name) => queue.add(name, 'low'))
  const attempts = new Map<string, number>()
  const atOnce = new Map<string, number>()
  const waits = createWaitAges(clock.monotonic)
  const closers: (() => void)[] = []
  const running: Promise<void>[] = []
  const unseen = new Set<string>()
  let listed = false

  const counted: typeof store.putStatus = async (...args) => {
    metrics.counts.statusWrites++
    return store.putStatus(...args)
  }
  const reconcile = createReconcileDaemon({
    store: { putStatus: counted, release: (...args) => store.release(...args) },
    runtime,
    clock,
    limits,
    seen: (daemon) => void cache.keep(daemon),
  })

  const onEvent = (event: ManagedDaemonEvent) => {
    if (event.type === 'synced') listed = true
    else if (event.type === 'removed') {
      cache.drop(event.name, event.uid)
      queue.add(event.name, 'high')
    } else {
      const { before, kept } = cache.keep(event.daemon)
      if (!kept) return
      if (!listed) unseen.add(event.daemon.name)
      queue.add(event.daemon.name, priorityOf(before, event.daemon))
    }
  }

  const pass = async (name: string) => {
    const daemon = cache.get(name)
    revisits.clear(name)
    if (daemon === undefined) {
      attempts.delete(name)
      atOnce.delete(name)
      waits.forget(name)
      return
    }
    try {
      metrics.counts.reconciles++
      const { requeueAfterMs, waitsFor } = await reconcile(daemon)
      attempts.delete(name)
      const passes = requeueAfterMs === 0 ? (atOnce.get(name) ?? 0) + 1 : 0
      atOnce.set(name, passes)
      if (requeueAfterMs === 0 && passes < PASSES_AT_ONCE) queue.add(name, 'high')
      else {
        const pauses = { pauseMs: requeueAfterMs || limits.pollMs, longestMs: limits.steadyMs }
        revisits.set(name, waits.pauseOf(name, waitsFor, pauses) * (0.9 + 0.2 * random()))
      }
    } catch (error) {
      const conflict = error instanceof StoreConflict
      if (conflict) metrics.counts.conflicts++
      else metrics.counts.failures++
      const attempt = attempts.get(name) ?? 0
      attempts.set(name, attempt + 1)
      const orgId = daemon.spec.orgId
      if (!conflict) log.warn({ err: error, orgId, attempt }, 'a managed daemon was not reconciled')
      await refresh(name).catch((err) => log.warn({ err, orgId }, 'a managed daemon was not read'))
      revisits.set(name, fullJitter(attempt + 1, conflict ? CONFLICT_BACKOFF : backoff, random))
    }
  }

  // After a failure the cache may be stale, so ask the store itself. Only the store can say that a resource is absent.
  const refresh = async (name: string) => {
    const fresh = await store.find(name)
    if (fresh) cache.keep(fresh)
    else cache.drop(name, cache.get(name)?.uid ?? '')
  }

  const work = async () => {
    for (let taken = await queue.take(); taken; taken = await queue.take()) {
      metrics.waited(taken.waitedMs)
      unseen.delete(taken.key)
      await pass(taken.key)
      queue.done(taken.key)
    }
  }

  const resyncs = repeat({
    everyMs: resyncMs,
    task: async () => {
      for (const name of cache.names) queue.add(name, 'low')
    },
    first: 'after_interval',
    clock,
    log,
    name: 'resync of all managed daemons',
  })

  return {
    start() {
      closers.push(runtime.watch((name, news) => queue.add(name, news === 'changed' ? 'high' : 'low')))
      closers.push(store.watch(onEvent))
      resyncs.start()
      for (let worker = 0; worker < workers; worker++) running.push(work())
    },
    async stop() {
      for (const close of closers) close()
      await resyncs.close()
      queue.close()
      await Promise.all(running)
      revisits.stop()
    },
    hasSynced: () => listed && unseen.size === 0,
    metrics: metrics.read,
    census: () => takeCensus(cache.values(), clock.now()),
  }
}
