import type { MemberCounts } from '@svc/shared/wire/admin/rollouts.api.ts'

/** The counts of a wave without members. */
export const noMembers: MemberCounts = {
  total: 0,
  pending: 0,
  rolling: 0,
  succeeded: 0,
  failed: 0,
  stalled: 0,
  deferred: 0,
  skipped: 0,
}

/** The sum of two counts. */
export function sum(a: MemberCounts, b: MemberCounts): MemberCounts {
  const keys = Object.keys(noMembers) as (keyof MemberCounts)[]
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as MemberCounts
}
