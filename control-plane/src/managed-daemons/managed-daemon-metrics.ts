import { Gauge, type Registry } from 'prom-client'

/** A metric of the daemons that are not settled: provisioning does not continue, or the resource is lost. */
export function measureManagedDaemons(registry: Registry, countProblems: () => Promise<number>): void {
  new Gauge({
    name: 'svc_managed_daemon_problems',
    help: 'Hosted daemons that are not settled, for example because their resource is lost.',
    registers: [registry],
    async collect() {
      const count = await countProblems().catch(() => undefined)
      // Without the database the metric is absent, and the other metrics remain.
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
}
