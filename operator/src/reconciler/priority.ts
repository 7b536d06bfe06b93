import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Priority } from './work-queue.ts'

/**
 * How urgent a version of a resource is, given the version known before. What a person asked for and nobody has answered
 * goes first: a changed spec, a deletion, a resource that is new. A listing of what was looked at before can wait, and so
 * can a status, which is our own word. Pure.
 */
export function priorityOf(before: ManagedDaemon | undefined, after: ManagedDaemon): Priority {
  if (before === undefined) return after.status.observedGeneration === after.generation ? 'low' : 'high'
  const wasAsked =
    before.generation !== after.generation || before.deletedAt !== after.deletedAt || before.uid !== after.uid
  return wasAsked ? 'high' : 'low'
}
