import { fail } from '@svc/shared/wire/errors.ts'

const MAX_CONCURRENT = 512

/** What one organization may take of a replica, so that others keep their share. */
export function createOrgLimits() {
  const open = new Map<string, number>()

  return {
    /** Counts a request in, or fails with `too_many_requests`; the answer counts it out. */
    enter: (orgId: string): (() => void) => {
      const count = open.get(orgId) ?? 0
      if (count >= MAX_CONCURRENT) throw fail('too_many_requests', { limit: 'streams' })
      open.set(orgId, count + 1)
      return () => {
        const left = (open.get(orgId) ?? 1) - 1
        if (left === 0) open.delete(orgId)
        else open.set(orgId, left)
      }
    },
  }
}

export type OrgLimits = ReturnType<typeof createOrgLimits>
