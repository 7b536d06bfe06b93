import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

/** The control plane's record of a hosted organization's daemon. */
export type DaemonRecord = {
  orgId: string
  state: 'provisioning' | 'active' | 'deleting'
  uid: string | null
  /** The newest key that is stored. */
  keyGeneration: number
  /** True once the daemon has run: there is a volume, wherever its resource is. */
  hasRun: boolean
  /** True once the resource was told to go with its volume. */
  removalBegun: boolean
}

export type DaemonStep =
  | { kind: 'create' }
  | { kind: 'record_uid'; uid: string }
  | { kind: 'accept_key'; generation: number; hash: string }
  | { kind: 'activate' }
  | { kind: 'create_to_remove' }
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
    if (record.uid !== null && record.uid !== resource.uid && !isMadeToRemove(record, resource))
      return distrust('the resource is not the one that was made')
  }
  if (record.state === 'deleting') return towardsDeletion(record, resource)
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

/**
 * A resource that was deleted in the cluster has left its volume behind, with every note. Only the operator can delete
 * the volume, and it adopts the volume of a resource of the same name: the resource is created once more, to go with it.
 */
function towardsDeletion({ uid, hasRun, removalBegun }: DaemonRecord, resource: ManagedDaemon | undefined): DaemonStep {
  if (resource === undefined) {
    const wasMade = uid !== null || hasRun
    return { kind: wasMade && !removalBegun ? 'create_to_remove' : 'finish_deletion' }
  }
  const isGoing = resource.deletedAt !== undefined && takesVolume(resource)
  return { kind: isGoing && removalBegun ? 'wait' : 'remove' }
}

const takesVolume = ({ spec }: ManagedDaemon): boolean => spec.deletionPolicy === 'delete'

// Its uid is not recorded, so that a kill after its creation leaves nothing to mend.
const isMadeToRemove = ({ state }: DaemonRecord, resource: ManagedDaemon): boolean =>
  state === 'deleting' && takesVolume(resource)

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
