import type { HostedStatus } from '../answers.ts'

export type Step = { name: string; state: 'done' | 'now' | 'waiting' | 'failed' }

const names = ['Accepted', 'Storage and key prepared', 'Daemon started', 'Connected and running']
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

/** How far a hosted daemon has come, as steps. A failure stands at the step that it stopped. */
export function hostedSteps({ observedState, conditions }: Pick<HostedStatus, 'observedState' | 'conditions'>): Step[] {
  const holds = (type: string) => conditions.some((condition) => condition.type === type && condition.status === 'True')
  const failed = observedState === 'failed'
  const at = failed && !holds('StorageHealthy') ? 1 : reached[observedState]
  return names.map((name, index) => ({
    name,
    state: index < at ? 'done' : index === at ? (failed ? 'failed' : 'now') : 'waiting',
  }))
}

/** True while the state will change without anybody doing anything. */
export function isMoving({
  observedState,
  desiredState,
}: Pick<HostedStatus, 'observedState' | 'desiredState'>): boolean {
  if (observedState === 'running') return desiredState !== 'running'
  if (observedState === 'sleeping') return desiredState !== 'sleeping'
  return observedState !== 'failed'
}
