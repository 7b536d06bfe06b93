import { fullJitter } from '@svc/shared/kit/backoff.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { pathOf, type KubeObject } from './kinds.ts'
import { isKubeError } from './kube-error.ts'
import { listAll } from './list-all.ts'
import { isFromBackup, versionOf, type Listing } from './listing.ts'
import { defaultTiming, type ReflectorEvent, type ReflectorOptions, type ReflectorTiming } from './reflector-options.ts'

const BACKOFF = { baseMs: 500, capMs: 30_000 }
const WATCH_SECONDS = 300

type WatchLine<T> = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'; object: T & { code?: number } }

class Expired extends Error {}

/** A local copy of a collection. It never stops by itself: failures are logged and retried after a delay. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>
  readonly #timing: ReflectorTiming
  readonly #objects = new Map<string, T>()
  readonly #gone = new Set<string>()
  readonly #stop = new AbortController()
  readonly #checks: ReturnType<typeof repeat>
  #version: string | undefined
  #silence = new AbortController()
  #synced = false
  #missed = 0
  #running: Promise<void> | undefined

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#timing = { ...defaultTiming, ...options.timing }
    const { clock, log, random, kind } = options
    this.#checks = repeat({
      // Reflectors that started together list at different times.
      everyMs: this.#timing.relistMs * (0.8 + 0.4 * random()),
      task: () => this.#check(),
      first: 'after_interval',
      clock,
      log,
      name: `check of the watch of ${kind.kind}`,
    })
  }

  start(): void {
    this.#running = this.#follow()
    this.#checks.start()
  }

  async stop(): Promise<void> {
    const checksClosed = this.#checks.close()
    this.#stop.abort()
    await Promise.all([this.#running, checksClosed])
  }

  get hasSynced(): boolean {
    return this.#synced
  }

  /** Changes that a listing showed and the watch did not: a measure of the watch's health. */
  get missedEvents(): number {
    return this.#missed
  }

  get size(): number {
    return this.#objects.size
  }

  find(name: string): T | undefined {
    return this.#objects.get(name)
  }

  /** Applies the response to a write of ours, which the watch will also deliver, but later. */
  accept(object: T): void {
    this.#keep(this.#options.trim(object))
  }

  /** Drops an object that a deletion of ours has removed; the watch will also say so, but later. */
  forget(object: T): void {
    this.#drop(object)
  }

  async #follow(): Promise<void> {
    const { clock, log, random, kind } = this.#options
    const { signal } = this.#stop
    let attempt = 0
    while (!signal.aborted) {
      const since = clock.monotonic()
      try {
        if (this.#version === undefined) await this.#list()
        await this.#watch()
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof Expired || isKubeError(error, 410)) this.#version = undefined
        else log.warn({ err: error, kind: kind.kind }, 'a watch was interrupted')
      }
      // A watch that lived for a while ended normally; one that failed at once waits longer each time.
      attempt = clock.monotonic() - since > 10_000 ? 0 : attempt + 1
      await clock.sleep(fullJitter(attempt, BACKOFF, random), signal).catch(() => {})
    }
  }

  async #list(): Promise<void> {
    const listing = await this.#listing()
    this.#adopt(listing)
    this.#version = String(listing.asOf)
    if (!this.#synced) this.#tell({ type: 'synced' })
    this.#synced = true
  }

  async #listing(): Promise<Listing<T>> {
    const { client, kind, namespace, labels, trim } = this.#options
    let known = BigInt(this.#version ?? 0)
    for (const object of this.#objects.values()) if (versionOf(object) > known) known = versionOf(object)
    const signal = this.#stop.signal
    const { items, resourceVersion } = await listAll<T>(client, { kind, namespace, labels, trim, signal })
    const asOf = BigInt(resourceVersion)
    return { items, asOf, isFallen: asOf < known }
  }

  /** Makes the copy equal to a listing. */
  #adopt(listing: Listing<T>): void {
    const { items } = listing
    const listed = new Set(items.map(({ metadata }) => metadata.name))
    for (const item of items) this.#keepListed(item, listing)
    for (const [name, object] of this.#objects) if (!listed.has(name)) this.#drop(object)
  }

  async #watch(): Promise<void> {
    const { client, clock, kind, namespace, labels, random } = this.#options
    const silence = new AbortController()
    this.#silence = silence
    let heard = clock.monotonic()
    const signal = AbortSignal.any([this.#stop.signal, silence.signal])
    const watchdog = (async () => {
      while (!signal.aborted) {
        await clock.sleep(this.#timing.silenceMs / 4, signal).catch(() => {})
        if (clock.monotonic() - heard > this.#timing.silenceMs) this.#listAgain('the watch fell silent')
      }
    })()
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector: labels,
      resourceVersion: this.#version,
      timeoutSeconds: Math.floor(WATCH_SECONDS * (1 - 0.2 * random())),
    }
    try {
      await client.follow({ method: 'GET', path: pathOf(kind, namespace), query, signal }, (line) => {
        // A line that was read before the abort would set the version again, and nothing would be listed.
        if (signal.aborted) return
        heard = clock.monotonic()
        this.#take(JSON.parse(line) as WatchLine<T>)
      })
    } finally {
      silence.abort()
      await watchdog
    }
  }

  /** Ends the watch. A watch from a version that a restored API has not reached yet would stay silent. */
  #listAgain(cause: string): void {
    this.#version = undefined
    this.#silence.abort(new Error(cause))
  }

  #take({ type, object }: WatchLine<T>): void {
    if (type === 'ERROR') {
      if (object.code === 410) throw new Expired('the watch is too old')
      throw new Error(`the watch failed with ${object.code}`)
    }
    if (type === 'DELETED') this.#drop(object)
    else if (type !== 'BOOKMARK') this.#keep(this.#options.trim(object))
    this.#version = object.metadata.resourceVersion
  }

  #keep(object: T): boolean {
    const { name } = object.metadata
    const before = this.#objects.get(name)
    const sameObject = before?.metadata.uid === object.metadata.uid
    if (before && sameObject && versionOf(before) >= versionOf(object)) return false
    if (before && !sameObject) this.#tell({ type: 'removed', object: before })
    this.#objects.set(name, object)
    this.#tell({ type: 'upserted', object })
    return true
  }

  /** A watcher sees an object from a backup as another one of that name: for itself it would be too old. */
  #keepListed(item: T, listing: Listing<T>): boolean {
    const copy = this.#objects.get(item.metadata.name)
    if (copy && isFromBackup(item, copy, listing)) this.#drop(copy)
    return this.#keep(item)
  }

  #drop(object: T): void {
    const before = this.#objects.get(object.metadata.name)
    if (before === undefined || before.metadata.uid !== object.metadata.uid) return
    this.#objects.delete(object.metadata.name)
    this.#gone.add(object.metadata.uid ?? '')
    this.#tell({ type: 'removed', object: before })
  }

  async #check(): Promise<void> {
    const { clock, kind, log } = this.#options
    this.#gone.clear()
    const listing = await this.#listing()
    if (listing.isFallen) return this.#listAgain('the API was restored from a backup')
    await clock.sleep(this.#timing.graceMs, this.#stop.signal)
    const missed = this.#adoptMissed(listing)
    this.#missed += missed
    if (missed > 0) log.warn({ kind: kind.kind, missed }, 'a watch missed changes')
  }

  /**
   * Applies what an earlier listing showed and the watch has not delivered since; returns how much that is. The copy
   * may be newer than the listing: later changes were not missed.
   */
  #adoptMissed(listing: Listing<T>): number {
    const { items, asOf } = listing
    const listed = new Set(items.map(({ metadata }) => metadata.uid))
    const isGone = ({ metadata }: T) => this.#gone.has(metadata.uid ?? '')
    let missed = items.filter((item) => !isGone(item) && this.#keepListed(item, listing)).length
    for (const object of this.#objects.values()) {
      if (listed.has(object.metadata.uid) || versionOf(object) > asOf) continue
      this.#drop(object)
      missed++
    }
    return missed
  }

  #tell(event: ReflectorEvent<T>): void {
    try {
      this.#options.onEvent(event)
    } catch (error) {
      this.#options.log.error({ err: error, kind: this.#options.kind.kind }, 'a listener of a watch failed')
    }
  }
}
