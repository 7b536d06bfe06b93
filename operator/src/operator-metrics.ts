import { Gauge, Registry } from 'prom-client'
import type { Operator } from './app.ts'

/** Metrics of the operator, computed from its state at each scrape. */
export function operatorMetrics(operator: Operator): Registry {
  const registry = new Registry()
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `svc_operator_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  const { state, census } = operator
  gauge('leading', '1 while this process holds the lease.', () => Number(state().leading))
  gauge('synced', '1 once every resource has been looked at.', () => Number(state().synced))
  gauge('missed_events', 'Changes that a listing showed and a watch did not.', () => state().missedEvents)
  gauge('queue_depth', 'Daemons that wait for a worker.', () => state().reconciler.queueDepth)
  gauge('reconciles', 'Passes since this process leads.', () => state().reconciler.reconciles)
  gauge('failures', 'Passes that failed since this process leads.', () => state().reconciler.failures)
  gauge('conflicts', 'Passes that somebody else overtook.', () => state().reconciler.conflicts)
  gauge('status_writes', 'Writes of a status since this process leads.', () => state().reconciler.statusWrites)
  gauge('queue_wait_p99_ms', '99th percentile of the wait of a changed daemon for a worker.', () => {
    const sorted = state().reconciler.waitedMs.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0
  })

  new Gauge({
    name: 'svc_operator_daemons',
    help: 'Daemons by their observed state, at the leader.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [state, count] of Object.entries(census()?.states ?? {})) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'svc_operator_degraded',
    help: 'Daemons that have been degraded for five minutes, by state and reason, without the paused ones.',
    labelNames: ['state', 'reason'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { state, reason, count } of census()?.degraded ?? []) this.set({ state, reason }, count)
    },
  })
  return registry
}
