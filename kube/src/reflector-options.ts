import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Kind, KubeObject } from './kinds.ts'
import type { KubeClient } from './kube-client.ts'

export type ReflectorEvent<T> = { type: 'upserted'; object: T } | { type: 'removed'; object: T } | { type: 'synced' }

export type ReflectorOptions<T extends KubeObject> = {
  client: KubeClient
  clock: Clock
  log: Log
  random: () => number
  kind: Kind
  namespace: string
  labels?: string
  /** Reduces an object to what is needed; a thousand daemons are held in memory. */
  trim: (object: T) => T
  onEvent: (event: ReflectorEvent<T>) => void
  timing?: Partial<ReflectorTiming>
}

export type ReflectorTiming = {
  /** A watch that delivered nothing for this long, not even a bookmark, is reopened. */
  silenceMs: number
  /** Time between two listings that check the watch. */
  relistMs: number
  /** Time for the watch to deliver what a listing showed, before it counts as missed. */
  graceMs: number
}

export const defaultTiming: ReflectorTiming = { silenceMs: 120_000, relistMs: 600_000, graceMs: 5_000 }
