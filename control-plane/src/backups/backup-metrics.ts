import { Gauge, type Registry } from 'prom-client'

type Measured = { failing: number; unbacked: number; oldest: number; unproved: number }

/** Metrics of the ages of backups and their proofs, over all organizations with backups. */
export function measureBackups(registry: Registry, measure: () => Promise<Measured>): void {
  const gauge = (name: string, help: string, read: (measured: Measured) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const measured = await measure().catch(() => undefined)
        // Without the database the metric is absent, and the other metrics remain.
        if (measured === undefined) this.remove()
        else this.set(read(measured))
      },
    })
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
