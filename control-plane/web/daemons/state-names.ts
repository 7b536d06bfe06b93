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

/** All observed states, in the order of the filter. */
export const observedStates = Object.keys(tones) as Observed[]

/** The colour of an observed state. */
export function stateTone(state: Observed): Tone {
  return tones[state]
}

// Replacements for wire words that people would not use.
const plainWords: Record<string, string> = {
  degraded: 'needs attention',
  comped: 'free of charge',
  none: 'no plan',
  retryable: 'can be repeated',
  canary: 'first few',
}

/** The name of a state for people: a plain word instead of the wire's, with a capital. */
export function stateName(state: string): string {
  const words = plainWords[state] ?? state.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
