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

/** A state word as it is shown: the wire's own word, with a capital. */
export function stateName(state: string): string {
  const words = state.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
