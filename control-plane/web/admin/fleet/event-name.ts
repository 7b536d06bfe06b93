import { stateName } from '../../daemons/state-names.ts'
import type { LifecycleEvent } from '../admin-answers.ts'

/** A lifecycle event in words; an observation says what was observed. */
export function eventName({ kind, observedState }: Pick<LifecycleEvent, 'kind' | 'observedState'>): string {
  return kind === 'state_observed' && observedState !== undefined ? `Observed ${observedState}` : stateName(kind)
}
