import type { Registry } from 'prom-client'
import { measureStored } from '../http/metrics.ts'

/** A metric of the daemons that are not settled: provisioning does not continue, or the resource is lost. */
export function measureManagedDaemons(registry: Registry, countProblems: () => Promise<number>): void {
  measureStored(registry, {
    name: 'svc_managed_daemon_problems',
    help: 'Hosted daemons that are not settled, for example because their resource is lost.',
    read: countProblems,
  })
}
