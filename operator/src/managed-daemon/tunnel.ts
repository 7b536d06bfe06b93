import { findCondition } from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observe.ts'

/**
 * Whether the daemon's tunnel is open. A ready daemon that gave no answer this once is what it was: one lost answer is
 * no news, and a listener that is really dead makes the machine unready.
 */
export function tunnelOf({ daemon, children: { machine } }: Observed): { connected: boolean; known: boolean } {
  if (machine?.daemon !== undefined) return { connected: machine.daemon.relay.connected, known: true }
  const before = findCondition(daemon.status, 'RelayConnected')?.status === 'True'
  return { connected: machine?.state === 'ready' && before, known: false }
}
