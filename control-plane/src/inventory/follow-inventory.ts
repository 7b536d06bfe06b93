import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonEvent, ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { versionOf, type GoneDaemon, type SeenDaemon, type SeenDaemonsRepository } from './seen-daemons.repository.ts'

type Deps = {
  store: Pick<ManagedDaemonStore, 'watch'>
  seen: SeenDaemonsRepository
  clock: Pick<Clock, 'sleep'>
  log: Log
}

const BATCH = 500
const RETRY_MS = 1_000

/**
 * Keeps the copy of the resources that the inventory reads. Changes are written in batches, so that the listing of a
 * large fleet takes a few statements. While the database is away, the newest state of each daemon waits here. Returns
 * the function that stops it.
 *
 * Versions of a resource grow, so an older one is not written over a newer one that another process saw. After a restore
 * of the cluster they fall. A version that was stored before the listing began shows this: a listing has all versions
 * until its request.
 */
export function followInventory({ store, seen, clock, log }: Deps): () => Promise<void> {
  const stop = new AbortController()
  const listed = new Map<string, string>()
  let changed = new Map<string, ManagedDaemon>()
  let stored = new Map<string, SeenDaemon>()
  let gone: GoneDaemon[] = []
  let listingEnded = false
  let running: Promise<void> | undefined

  const hasWork = () => changed.size > 0 || gone.length > 0 || listingEnded
  const deleteGone = async () => {
    while (gone[0] !== undefined) {
      await seen.delete(gone[0])
      gone = gone.slice(1)
    }
  }
  const flush = async () => {
    await deleteGone()
    while (changed.size > 0) {
      const batch = [...changed].slice(0, BATCH)
      await seen.upsert(batch.map(([, daemon]) => daemon))
      // A daemon that changed during the write is written again.
      for (const [name, daemon] of batch) if (changed.get(name) === daemon) changed.delete(name)
      // What went meanwhile may be back, with a lower version: its row goes first.
      await deleteGone()
    }
    if (!listingEnded) return
    // There is no event for a resource that was deleted while nobody watched.
    await seen.deleteOthers([...listed.keys()])
    listingEnded = false
  }
  const run = async () => {
    while (hasWork() && !stop.signal.aborted) {
      try {
        await flush()
      } catch (err) {
        if (stop.signal.aborted) return
        log.warn({ err }, 'the inventory was not written; it is tried again')
        await clock.sleep(RETRY_MS, stop.signal).catch(() => {})
      }
    }
  }
  const work = () => {
    running ??= run().finally(() => {
      running = undefined
      if (hasWork() && !stop.signal.aborted) work()
    })
  }

  const onEvent = (event: ManagedDaemonEvent) => {
    if (event.type === 'upserted') {
      const row = stored.get(event.daemon.name)
      if (row?.uid === event.daemon.uid && versionOf(event.daemon) < row.version) gone = [...gone, row]
      stored.delete(event.daemon.name)
      listed.set(event.daemon.name, event.daemon.uid)
      changed.set(event.daemon.name, event.daemon)
    }
    if (event.type === 'removed' && listed.get(event.name) === event.uid) {
      listed.delete(event.name)
      changed.delete(event.name)
      gone = [...gone, { name: event.name, uid: event.uid }]
    }
    if (event.type === 'synced') {
      listingEnded = true
      stored.clear()
    }
    work()
  }

  let stopWatching = () => {}
  const begin = async () => {
    while (!stop.signal.aborted) {
      try {
        stored = new Map((await seen.list()).map((row) => [row.name, row]))
        if (!stop.signal.aborted) stopWatching = store.watch(onEvent)
        return
      } catch (err) {
        log.warn({ err }, 'the inventory was not read; it is tried again')
        await clock.sleep(RETRY_MS, stop.signal).catch(() => {})
      }
    }
  }
  const beginning = begin()
  return async () => {
    stop.abort()
    await beginning
    stopWatching()
    await running
  }
}
