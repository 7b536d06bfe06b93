import { DaemonHealth } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { RunningDaemon } from './running-daemon.ts'

/** The directories below `vaults/` that the daemon does not serve, with the reasons. */
export async function refusedVaults(daemon: RunningDaemon): Promise<{ name: string; reason: string }[]> {
  return (await daemon.read(DaemonHealth, '/health')).status.refusedVaults ?? []
}
