import type { Organization, Role } from '../answers.ts'

type Members = Pick<Organization, 'members'>['members']

/** True for the last admin, whom the organization must keep. */
export function isLastAdmin(members: Pick<Members[number], 'id' | 'role'>[], memberId: string): boolean {
  const admins = members.filter(({ role }) => role === 'admin')
  return admins.length === 1 && admins[0]?.id === memberId
}

const rank: Record<Role, number> = { admin: 0, member: 1 }

/** Members as they are listed: admins first, then by name. */
export function inOrder(members: Members): Members {
  return members.toSorted(
    (a, b) => rank[a.role] - rank[b.role] || a.name.localeCompare(b.name) || a.email.localeCompare(b.email),
  )
}

/** The words for a role. */
export const roleNames: Record<Role, string> = { admin: 'Admin', member: 'Member' }
