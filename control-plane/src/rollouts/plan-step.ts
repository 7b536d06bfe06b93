import type { MemberCounts, QuietHours, RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'
import { quietAt } from './quiet-hours.ts'

/** All inputs of the next step's decision. */
export type RolloutFacts = {
  state: RolloutState
  currentWave: number
  lastWave: number
  soakUntil: Date | undefined
  soakSeconds: number
  concurrency: number
  failureBudget: number
  failuresBorne: number
  quietHours: QuietHours | undefined
  /** Member counts of the current wave, and of all waves. */
  wave: MemberCounts
  all: MemberCounts
  now: Date
}

export type RolloutStep =
  | { kind: 'stop'; reason: 'FailureBudgetSpent' }
  /** Start up to that number of members of the current wave; wake sleeping ones only if `wakes`. */
  | { kind: 'roll'; slots: number; wakes: boolean }
  | { kind: 'roll_deferred'; slots: number }
  | { kind: 'soak'; until: Date }
  | { kind: 'next_wave' }
  | { kind: 'finish' }
  | { kind: 'wait'; ms: number; reason: 'Rolling' | 'Soaking' | 'OutsideQuietHours' }
  | { kind: 'rest' }

const POLL_MS = 2_000
const MINUTE_MS = 60_000

/** The next step of a rollout. Called again after each step; the same facts give the same step. Pure. */
export function planStep(facts: RolloutFacts): RolloutStep {
  const { state, wave, all, now, failureBudget, failuresBorne } = facts
  if (state === 'paused' || state === 'stopped' || state === 'aborted')
    return all.rolling + all.stalled > 0 ? { kind: 'wait', ms: POLL_MS, reason: 'Rolling' } : { kind: 'rest' }

  // After the last wave there is only something to stop while some are deferred. A newer rollout leaves none.
  const isLeft = state === 'running' || all.deferred > 0
  if (isLeft && all.failed + all.stalled - failuresBorne > failureBudget)
    return { kind: 'stop', reason: 'FailureBudgetSpent' }

  const hours = facts.quietHours && quietAt(now, facts.quietHours)
  const mayRoll = hours === undefined || hours.quiet
  const slots = facts.concurrency - all.rolling

  if (state === 'succeeded') return tail(facts, { quiet: hours?.quiet === true, slots })
  if (wave.pending > 0) {
    if (!mayRoll) return { kind: 'wait', ms: hours.changesInMinutes * MINUTE_MS, reason: 'OutsideQuietHours' }
    return slots > 0
      ? { kind: 'roll', slots, wakes: hours?.quiet === true }
      : { kind: 'wait', ms: POLL_MS, reason: 'Rolling' }
  }
  if (wave.rolling > 0) return { kind: 'wait', ms: POLL_MS, reason: 'Rolling' }
  if (facts.currentWave >= facts.lastWave) return { kind: 'finish' }

  // A wave without changes needs no observation.
  const changed = wave.succeeded + wave.failed + wave.stalled > 0
  if (!changed || facts.soakSeconds === 0) return { kind: 'next_wave' }
  if (facts.soakUntil === undefined) return { kind: 'soak', until: new Date(now.getTime() + facts.soakSeconds * 1_000) }
  const left = facts.soakUntil.getTime() - now.getTime()
  return left > 0 ? { kind: 'wait', ms: left, reason: 'Soaking' } : { kind: 'next_wave' }
}

/** After the last wave only sleeping members are left; they roll at their wake, or in quiet hours. */
function tail({ all }: RolloutFacts, { quiet, slots }: { quiet: boolean; slots: number }): RolloutStep {
  if (quiet && all.deferred > 0 && slots > 0) return { kind: 'roll_deferred', slots }
  return all.rolling + all.stalled > 0 ? { kind: 'wait', ms: POLL_MS, reason: 'Rolling' } : { kind: 'rest' }
}
