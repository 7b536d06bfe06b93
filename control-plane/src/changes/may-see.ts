import type { Role } from '@svc/shared/wire/assertions.ts'
import { changeTopics } from '@svc/shared/wire/events.api.ts'
import type { NotedChange } from './changes.repository.ts'

/** What decides which changes a person may see: roles by organization, and whether they administer the platform. */
export type Rights = { userId: string; roles: ReadonlyMap<string, Role>; isSystemAdmin: boolean }

/**
 * Whether a person may see a change. The person that a change is about always may, even when it takes away their right.
 */
export function maySee({ topic, orgId, userId }: NotedChange, rights: Rights): boolean {
  const audience = changeTopics[topic]
  if (userId === rights.userId) return true
  if (audience === 'person') return false
  if (rights.isSystemAdmin) return true
  if (audience === 'systemAdmin' || orgId === null) return false
  const role = rights.roles.get(orgId)
  return role !== undefined && (audience === 'member' || role === 'admin')
}
