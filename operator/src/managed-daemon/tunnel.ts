import { findCondition } from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observed.ts'

/**
 * Whether the daemon's tunnel is open. A ready daemon that did not respond this once keeps its last state: one lost
 * response is no news, and a dead listener makes the machine unready. A tunnel that opens before the machine is ready
 * counts from then on, so that a start causes only one write.
 */
export function tunnelOf({ daemon, children: { machine } }: Observed): { connected: boolean; known: boolean } {
  const before = findCondition(daemon.status, 'RelayConnected')?.status === 'True'
  const ready = machine?.state === 'ready'
  if (machine?.daemon === undefined) return { connected: ready && before, known: false }
  return { connected: machine.daemon.relay.connected && (ready || before), known: true }
}
