import type { MemberCounts, Rollout } from '@svc/shared/wire/admin/rollouts.api.ts'
import { noMembers, sum } from './member-counts.ts'
import type { RolloutRecord } from './rollouts.repository.ts'

/** A rollout in the form of the API, without its problems. Pure. */
export function describeRollout(record: RolloutRecord, waves: MemberCounts[]): Omit<Rollout, 'problems'> {
  const { soakUntil, finishedAt, createdAt, settings } = record
  return {
    id: record.id,
    operationId: record.operationId,
    image: record.image,
    reason: record.reason,
    actor: record.actor,
    state: record.state,
    stateReason: record.stateReason,
    settings: { ...settings, failureBudget: record.failureBudget },
    currentWave: record.currentWave,
    soakUntil: soakUntil?.toISOString(),
    waves: waves.map((counts, index) => ({ ...counts, index, name: index === 0 ? 'canary' : `wave ${index}` })),
    counts: waves.reduce(sum, noMembers),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString(),
  }
}
