import { fail } from '@svc/shared/wire/errors.ts'
import { hasLostVolume, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { DaemonWaiter } from '../managed-daemons/daemon-waiter.ts'

type Wanted = { orgId: string; timeoutMs: number; signal: AbortSignal }

/**
 * Waits until a daemon runs; undefined at the deadline. Throws `operation_failed` for one that is gone or has failed:
 * waiting does not help then, and keeps out the operation that would repair it.
 */
export async function awaitRunning(waiter: DaemonWaiter, { orgId, timeoutMs, signal }: Wanted) {
  const daemon = await waiter.until({
    name: managedDaemonName(orgId),
    judge: (found) => (found === undefined ? 'gone' : isDecided(found) ? found : undefined),
    timeoutMs,
    signal,
  })
  if (daemon === undefined) return undefined
  if (daemon === 'gone') throw fail('operation_failed', { reason: 'NoManagedDaemon' })
  if (hasLostVolume(daemon.status)) throw fail('operation_failed', { reason: 'VolumeLost' })
  if (daemon.status.observedState === 'failed') throw fail('operation_failed', { reason: 'DaemonFailed' })
  return daemon
}

/** Whether a daemon runs, or has failed under its present spec. */
const isDecided = ({ generation, status }: ManagedDaemon): boolean =>
  status.observedState === 'running' || (status.observedState === 'failed' && status.observedGeneration === generation)
