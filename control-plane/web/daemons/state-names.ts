import type { HostedStatus } from '../answers.ts'
import type { Tone } from '../controls/status.tsx'

type Observed = HostedStatus['observedState']

const tones: Record<Observed, Tone> = {
  pending: 'busy',
  provisioning: 'busy',
  starting: 'busy',
  running: 'good',
  sleeping: 'idle',
  stopping: 'busy',
  degraded: 'warning',
  failed: 'bad',
  deleting: 'warning',
}

/** All observed states, in the order in which a filter lists them. */
export const observedStates = Object.keys(tones) as Observed[]

/** The colour of an observed state. */
export function stateTone(state: Observed): Tone {
  return tones[state]
}

// Words of the wire that people would not use.
const plainWords: Record<string, string> = {
  degraded: 'needs attention',
  comped: 'free of charge',
  none: 'no plan',
  retryable: 'can be repeated',
  canary: 'first few',
}

/** A state word as it is shown: a plain one for the wire's own, with a capital. */
export function stateName(state: string): string {
  const words = plainWords[state] ?? state.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
