import type { Registry } from 'prom-client'
import { measureStored } from '../http/metrics.ts'

type Measured = { failing: number; unbacked: number; oldest: number; unproved: number }

/** Metrics of the ages of backups and their proofs, over all organizations with backups. */
export function measureBackups(registry: Registry, measure: () => Promise<Measured>): void {
  let reading: Promise<Measured> | undefined
  // All gauges of a scrape share one query.
  const read = () => (reading ??= measure().finally(() => (reading = undefined)))
  const gauge = (name: string, help: string, of: (measured: Measured) => number) =>
    measureStored(registry, { name, help, read: async () => of(await read()) })
  gauge(
    'svc_backup_failing',
    'Organizations with a backup or drill that failed and has not succeeded since.',
    ({ failing }) => failing,
  )
  gauge('svc_backup_missing', 'Organizations that have no backup yet.', ({ unbacked }) => unbacked)
  gauge(
    'svc_backup_oldest_seconds',
    'Age of the oldest among the newest backups that may lack changes.',
    ({ oldest }) => oldest,
  )
  gauge(
    'svc_backup_unproved_seconds',
    'Age of the oldest among the newest proofs by a drill, or of a daemon that has none.',
    ({ unproved }) => unproved,
  )
}
