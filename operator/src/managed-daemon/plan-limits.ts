import type { Observed } from './observed.ts'

/** How long a plan waits for what. */
export type PlanLimits = {
  /** A new image has failed that is not ready and connected within this time, or then gives no answer for as long. */
  startDeadlineMs: number
  /** A new image that has served for this long is good. */
  soakMs: number
  /** Between two looks at something in progress. */
  pollMs: number
  /** Between two looks at a daemon in its desired state. */
  steadyMs: number
}

/** Limits for production; the embedded platform and tests look more often. */
export const defaultLimits: PlanLimits = { startDeadlineMs: 300_000, soakMs: 3_000, pollMs: 1_000, steadyMs: 60_000 }

/** True once the machine, or the runtime that has yet to make it, has had all the time that a start may take. */
export function isLate({ children: { machine, workload }, now }: Observed, { startDeadlineMs }: PlanLimits): boolean {
  const since = machine?.startedAt ?? workload?.noMachine?.since
  return since !== undefined && now.getTime() - since.getTime() > startDeadlineMs
}
