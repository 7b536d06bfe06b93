import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

/** The control plane's record of a hosted organization's daemon. `keyGeneration`: the newest key that it has stored. */
export type DaemonRecord = {
  orgId: string
  state: 'provisioning' | 'active' | 'deleting'
  uid: string | null
  keyGeneration: number
}

export type DaemonStep =
  | { kind: 'create' }
  | { kind: 'record_uid'; uid: string }
  | { kind: 'accept_key'; generation: number; hash: string }
  | { kind: 'activate' }
  | { kind: 'remove' }
  | { kind: 'finish_deletion' }
  | { kind: 'wait' }
  | { kind: 'done' }
  | { kind: 'lost' }
  | { kind: 'distrust'; reason: string }

/**
 * The next step for a hosted daemon, decided by the record and the resource. Pure, and every state that a crash can
 * leave is a possible input: it is called again after each step.
 */
export function decideDaemonStep(record: DaemonRecord, resource: ManagedDaemon | undefined): DaemonStep {
  if (resource !== undefined) {
    if (resource.spec.orgId !== record.orgId) return distrust('the resource is of another organization')
    if (record.uid !== null && record.uid !== resource.uid) return distrust('the resource is not the one that was made')
  }
  if (record.state === 'deleting') return towardsDeletion(resource)
  if (resource === undefined)
    // Not recreated automatically: in an empty or wrong cluster this would create a fleet of empty volumes.
    return record.uid === null ? { kind: 'create' } : { kind: 'lost' }
  if (resource.deletedAt !== undefined) return distrust('the resource is going though nobody deleted it here')
  if (record.uid === null) return { kind: 'record_uid', uid: resource.uid }

  const key = nextKey(record, resource)
  if (key !== undefined) return { kind: 'accept_key', ...key }
  if (record.state === 'active') return { kind: 'done' }
  return resource.status.observedState === 'running' ? { kind: 'activate' } : { kind: 'wait' }
}

function towardsDeletion(resource: ManagedDaemon | undefined): DaemonStep {
  if (resource === undefined) return { kind: 'finish_deletion' }
  return resource.deletedAt === undefined ? { kind: 'remove' } : { kind: 'wait' }
}

/**
 * The oldest reported key that is not accepted yet. The operator makes one generation more than requested when the
 * Secret of the accepted key was lost; otherwise the daemon could never reconnect. A database that was restored from an
 * older copy lacks keys that the resource counts as accepted: they are accepted again.
 */
function nextKey(record: DaemonRecord, { spec, status }: ManagedDaemon) {
  const { acceptedGeneration, keyGeneration } = spec.relay
  const stored = Math.min(record.keyGeneration, acceptedGeneration)
  return (status.relay?.keys ?? [])
    .filter(({ generation }) => generation > stored && generation <= keyGeneration + 1)
    .sort((left, right) => left.generation - right.generation)[0]
}

const distrust = (reason: string): DaemonStep => ({ kind: 'distrust', reason })
