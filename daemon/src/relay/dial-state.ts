import { fullJitter, type BackoffLimits } from '@svc/shared/kit/backoff.ts'

/** The state of one tunnel slot of the daemon. */
export type DialState =
  | { state: 'stopped' }
  | { state: 'waiting'; attempt: number; delayMs: number }
  | { state: 'dialing'; attempt: number }
  | { state: 'connected'; attempt: number; sinceMs: number }

export type DialEvent =
  | { type: 'dial' }
  | { type: 'opened'; atMs: number }
  /** The tunnel, or the attempt, is over. `hintMs` is when the relay wants to see us again. */
  | { type: 'lost'; atMs: number; random: number; hintMs?: number }
  | { type: 'stop' }

const dialBackoff: BackoffLimits = { baseMs: 1_000, capMs: 30_000 }
/** A tunnel must last this long before the delays start over. */
export const STABLE_MS = 60_000

/** The next state of a slot. Pure: the time and the random number come with the event. */
export function nextDialState(now: DialState, event: DialEvent): DialState {
  if (event.type === 'stop' || now.state === 'stopped') return { state: 'stopped' }
  if (event.type === 'dial') return { state: 'dialing', attempt: now.attempt }
  if (event.type === 'opened') return { state: 'connected', attempt: now.attempt, sinceMs: event.atMs }

  const stable = now.state === 'connected' && event.atMs - now.sinceMs >= STABLE_MS
  const attempt = stable ? 0 : now.attempt
  const delayMs = event.hintMs ?? fullJitter(attempt, dialBackoff, () => event.random)
  // An orderly goodbye names its own delay and does not count as a failure.
  return { state: 'waiting', attempt: event.hintMs === undefined ? attempt + 1 : attempt, delayMs }
}

/** The state of a slot before its first dial. */
export const initialDialState: DialState = { state: 'waiting', attempt: 0, delayMs: 0 }

/** The four booleans that the daemon reports, from the states of all slots. */
export function relayStatus(configured: boolean, slots: readonly DialState[]) {
  return {
    configured,
    started: slots.some(({ state }) => state !== 'stopped'),
    controlConnected: slots.some(({ state }) => state === 'connected'),
    reconnectScheduled: slots.some(({ state }) => state === 'waiting'),
  }
}
