import type { Claim } from './admin-answers.ts'

/**
 * Whether an operation waits for somebody to release it, because its process is gone. One that takes longer than its
 * claim says, as a backup of a large home does, still runs. Pure.
 */
export const isStuck = ({ expired, executorAlive }: Pick<Claim, 'expired' | 'executorAlive'>): boolean =>
  expired && !executorAlive
