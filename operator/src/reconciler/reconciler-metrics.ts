/** Counters of the reconciler; read by metrics and by tests. */
export type ReconcilerMetrics = {
  reconciles: number
  failures: number
  conflicts: number
  statusWrites: number
  queueDepth: number
  /** How many milliseconds the last keys of high priority waited for a worker, newest last. */
  waitedMs: readonly number[]
}

const KEPT = 1_000

/** Counters of one reconciler. */
export function createReconcilerCounters(queueDepth: () => number) {
  const counts = { reconciles: 0, failures: 0, conflicts: 0, statusWrites: 0 }
  const waited: number[] = []
  return {
    counts,
    waited(ms: number): void {
      waited.push(ms)
      if (waited.length > KEPT) waited.shift()
    },
    read: (): ReconcilerMetrics => ({ ...counts, queueDepth: queueDepth(), waitedMs: [...waited] }),
  }
}
