import type { Phase } from './link-state.ts'

// A host may need this long to wake up or to write to a slow disk.
const JOIN_MS = 45_000
const CONFIRM_MS = 20_000
// The daemon sends a sign of life every 30 seconds.
const ALIVE_MS = 75_000
const MISSED_MS = 35_000

type Waiting = {
  phase: Phase
  /** Something was sent that the daemon has to confirm. */
  inFlight: boolean
  /** The daemon sends signs of life on this connection. */
  isKeptAlive: boolean
  /** The person is back at the page, or the network is back. */
  isBack: boolean
}

/** For how many milliseconds a connection may be silent before it counts as dead. Pure. */
export function patienceFor({ phase, inFlight, isKeptAlive, isBack }: Waiting): number {
  if (phase === 'gone' || phase === 'refused' || phase === 'closed') return Infinity
  if (phase !== 'ready') return JOIN_MS
  if (inFlight) return CONFIRM_MS
  if (!isKeptAlive) return Infinity
  return isBack ? MISSED_MS : ALIVE_MS
}
