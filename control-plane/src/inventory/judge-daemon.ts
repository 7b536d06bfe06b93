import type { Attention, Standing } from '@svc/shared/wire/admin/inventory.api.ts'
import { findCondition, type Condition, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

type Judged = { standing: Standing; attention?: Attention }

/** Reasons of a degraded daemon with a text of their own; others show their message. */
const KINDS: Record<string, Attention['kind']> = {
  OperationFailed: 'update_failed',
  RelayNotConnected: 'not_connected',
}

/** The health of a daemon, and why somebody should look at it. Pure. */
export function judgeDaemon(daemon: Pick<ManagedDaemon, 'spec' | 'status' | 'deletedAt'>): Judged {
  const attention = daemon.deletedAt === undefined ? attentionOf(daemon) : undefined
  return attention === undefined ? { standing: standingOf(daemon) } : { standing: 'attention', attention }
}

function attentionOf({ status }: Pick<ManagedDaemon, 'status'>): Attention | undefined {
  const degraded = findCondition(status, 'Degraded')
  const isDegraded = degraded?.status === 'True'
  if (status.observedState === 'failed') {
    const cause = isDegraded ? degraded : findCondition(status, 'Ready')
    return tell('failed', cause) ?? { kind: 'failed', reason: 'The daemon does not run.' }
  }
  const storage = findCondition(status, 'StorageHealthy')
  if (storage?.status === 'False') return tell('storage_full', storage)
  return isDegraded ? tell(KINDS[degraded.reason] ?? 'degraded', degraded) : undefined
}

function tell(kind: Attention['kind'], condition: Condition | undefined): Attention | undefined {
  return condition && { kind, reason: condition.message, since: condition.lastTransitionTime }
}

function standingOf({ spec, status, deletedAt }: Pick<ManagedDaemon, 'spec' | 'status' | 'deletedAt'>): Standing {
  if (deletedAt !== undefined) return 'changing'
  if (spec.desiredState === 'running' && status.observedState === 'running') return 'running'
  if (spec.desiredState === 'sleeping' && status.observedState === 'sleeping') return 'asleep'
  return 'changing'
}
