import { findCondition } from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observed.ts'

/**
 * Whether the daemon's tunnel is open. A ready daemon that gave no answer this once is what it was: one lost answer is
 * no news, and a listener that is really dead makes the machine unready. A tunnel that opens before the machine is ready
 * counts from then on: of a start one write is enough.
 */
export function tunnelOf({ daemon, children: { machine } }: Observed): { connected: boolean; known: boolean } {
  const before = findCondition(daemon.status, 'RelayConnected')?.status === 'True'
  const ready = machine?.state === 'ready'
  if (machine?.daemon === undefined) return { connected: ready && before, known: false }
  return { connected: machine.daemon.relay.connected && (ready || before), known: true }
}
