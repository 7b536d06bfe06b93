import type { HostedStatus } from '../answers.ts'

export type Step = { name: string; state: 'done' | 'now' | 'waiting' | 'failed' }

const names = ['Accepted', 'Storage and key prepared', 'Host started', 'Connected and running']
const reached: Record<HostedStatus['observedState'], number> = {
  pending: 0,
  provisioning: 1,
  starting: 2,
  stopping: 2,
  degraded: 3,
  failed: 2,
  running: 4,
  sleeping: 4,
  deleting: 0,
}

/** The progress of a hosted daemon, as steps. A failure marks the step at which it stopped. */
export function hostedSteps({ observedState, conditions }: Pick<HostedStatus, 'observedState' | 'conditions'>): Step[] {
  const holds = (type: string) => conditions.some((condition) => condition.type === type && condition.status === 'True')
  const failed = observedState === 'failed'
  const at = failed && !holds('StorageHealthy') ? 1 : reached[observedState]
  return names.map((name, index) => ({
    name,
    state: index < at ? 'done' : index === at ? (failed ? 'failed' : 'now') : 'waiting',
  }))
}

/** True while the state will change by itself. */
export function isMoving({
  observedState,
  desiredState,
}: Pick<HostedStatus, 'observedState' | 'desiredState'>): boolean {
  if (observedState === 'running') return desiredState !== 'running'
  if (observedState === 'sleeping') return desiredState !== 'sleeping'
  return observedState !== 'failed'
}
