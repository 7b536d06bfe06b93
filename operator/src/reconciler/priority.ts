import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Priority } from './work-queue.ts'

/**
 * The urgency of a version of a resource, given the version known before. First comes what a person requested and
 * nobody has handled: a changed spec, a deletion, a new resource. A listing of known resources can wait, and so can a
 * status, which we wrote ourselves. Pure.
 */
export function priorityOf(before: ManagedDaemon | undefined, after: ManagedDaemon): Priority {
  if (before === undefined) return after.status.observedGeneration === after.generation ? 'low' : 'high'
  const wasAsked =
    before.generation !== after.generation || before.deletedAt !== after.deletedAt || before.uid !== after.uid
  return wasAsked ? 'high' : 'low'
}
