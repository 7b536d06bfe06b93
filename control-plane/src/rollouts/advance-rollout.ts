import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import type { MemberCounts, RolloutMemberState } from '@svc/shared/wire/admin/rollouts.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import { decideProgress, decideTurn } from './decide-member.ts'
import { planStep, type RolloutStep } from './plan-step.ts'
import { noMembers, sum } from './member-counts.ts'
import type { RolloutMember, RolloutMembersRepository } from './rollout-members.repository.ts'
import type { RolloutRecord, RolloutsRepository } from './rollouts.repository.ts'

export type AdvanceDeps = {
  rollouts: RolloutsRepository
  members: RolloutMembersRepository
  store: Pick<ManagedDaemonStore, 'find'>
  run: RunOperation
  clock: Clock
  log: Log
}

const SYSTEM: Actor = { kind: 'system', id: 'rollout' }
const STEPS_AT_MOST = 50
const BUSY_MS = 2_000

/**
 * Advances a rollout as far as possible now and returns when to run again. A rollout consists of single image rolls,
 * whose operationIds are derived from rollout and organization: after a crash they are found again, and nobody is
 * rolled twice.
 */
export function createAdvanceRollout(deps: AdvanceDeps) {
  const { rollouts, members, clock } = deps

  return async (id: string, signal: AbortSignal): Promise<{ againInMs: number } | void> => {
    await observe(deps, id)
    for (let count = 0; count < STEPS_AT_MOST && !signal.aborted; count++) {
      const rollout = await rollouts.find(id)
      if (rollout === undefined) return
      const waves = await members.countByWave(id)
      const step = planStep(factsOf(rollout, waves, clock.now()))
      if (step.kind === 'rest') return
      if (step.kind === 'wait') return { againInMs: step.ms }
      if ((await take(deps, rollout, step)) === 'blocked') return { againInMs: BUSY_MS }
    }
    return { againInMs: 0 }
  }
}

function factsOf(rollout: RolloutRecord, waves: MemberCounts[], now: Date) {
  const { settings, ...known } = rollout
  const all = waves.reduce(sum, noMembers)
  const { soakSeconds, concurrency, quietHours } = settings
  const wave = waves[rollout.currentWave] ?? noMembers
  return { ...known, soakSeconds, concurrency, quietHours, wave, all, lastWave: waves.length - 1, now }
}

type Action = Exclude<RolloutStep, { kind: 'wait' | 'rest' }>

async function take(deps: AdvanceDeps, rollout: RolloutRecord, step: Action): Promise<'done' | 'blocked'> {
  const { rollouts, members, log } = deps
  const { id, currentWave } = rollout
  const below = rollout.settings.concurrency
  log.info({ rolloutId: id, wave: currentWave, step: step.kind }, 'rollout')

  if (step.kind === 'soak') await rollouts.updateSoak(id, currentWave, step.until)
  if (step.kind === 'next_wave') await rollouts.updateWave(id, currentWave)
  if (step.kind === 'finish') await rollouts.updateState(id, { from: ['running'], to: 'succeeded', actor: SYSTEM })
  if (step.kind === 'stop')
    await rollouts.updateState(id, {
      from: ['running', 'succeeded'],
      to: 'stopped',
      actor: SYSTEM,
      stateReason: step.reason,
    })
  if (step.kind === 'roll') {
    const next = await members.list(id, 'pending', { wave: currentWave, limit: step.slots })
    return takeTurns(deps, next, { rollout, from: 'pending', wakes: step.wakes, below })
  }
  if (step.kind === 'roll_deferred') {
    const next = await members.list(id, 'deferred', { limit: step.slots })
    return takeTurns(deps, next, { rollout, from: 'deferred', wakes: true, below })
  }
  return 'done'
}

type Turn = {
  rollout: RolloutRecord
  from: 'pending' | 'deferred'
  wakes: boolean
  /** A member begins while fewer roll than this. A wake passes none: somebody waits for it. */
  below?: number
}

async function takeTurns(deps: AdvanceDeps, next: RolloutMember[], turn: Turn): Promise<'done' | 'blocked'> {
  const outcomes = await Promise.all(next.map((member) => takeTurn(deps, member, turn)))
  return outcomes.every((outcome) => outcome === 'unmoved') ? 'blocked' : 'done'
}

/**
 * Decides about one member by what is true now, however long ago it was deferred. `unmoved`: it must be handled again.
 * `busy`: it is marked as rolling, but another operation is in the way; `unasked`: its roll met another failure.
 */
export async function takeTurn(
  deps: AdvanceDeps,
  member: RolloutMember,
  { rollout, from, wakes, below }: Turn,
): Promise<'rolling' | 'busy' | 'unasked' | 'settled' | 'unmoved'> {
  const { members, store } = deps
  const [daemon, isSuperseded] = await Promise.all([
    store.find(managedDaemonName(member.orgId)),
    members.isSuperseded(member),
  ])
  const decision = decideTurn(daemon, { image: rollout.image, wakes, isSuperseded })
  const move = (to: RolloutMemberState, reason?: string) =>
    members.update(rollout.id, member.orgId, { from: [from], to, ...(reason !== undefined && { reason }) })

  if (decision.kind === 'skip') return (await move('skipped', decision.reason)) ? 'settled' : 'unmoved'
  if (decision.kind === 'defer') return (await move('deferred')) ? 'settled' : 'unmoved'
  // Mark it first: after a crash in between, the next look requests the same operation again.
  if (!(await members.begin(member, { from, below }))) return 'unmoved'
  // A busy organization keeps its place and is tried again.
  return ask(deps, rollout, member)
}

/** Requests the image roll of a member without waiting for its end. `rolling` if there is such an operation by now. */
async function ask(
  { run, members, log }: AdvanceDeps,
  rollout: RolloutRecord,
  member: RolloutMember,
): Promise<'rolling' | 'busy' | 'unasked'> {
  const { orgId, operationId } = member
  const { image, actor, reason, id } = rollout
  const request = {
    operationId,
    action: 'image_roll',
    orgId,
    actor,
    reason: `${id}: ${reason}`.slice(0, 500),
    input: { image },
  } as const
  // Since the member was read, the rollout may have been paused or aborted, or a newer one created.
  const admit = async () => {
    if (!(await members.mayBegin(member))) throw fail('rollout_conflict')
  }
  try {
    await run(request, { waitMs: 0, admit })
    return 'rolling'
  } catch (error) {
    // In progress, busy, retryable, failed or not admitted: the next look reads it from the record.
    if (!isFailure(error)) log.warn({ err: error, orgId, rolloutId: id }, 'a roll was not asked for; looking again')
    if (isFailure(error, 'operation_in_progress')) return 'rolling'
    return isFailure(error, 'organization_busy') ? 'busy' : 'unasked'
  }
}

/** Updates members in progress from their operations. */
async function observe(deps: AdvanceDeps, id: string): Promise<void> {
  const { rollouts, members, clock } = deps
  const rollout = await rollouts.find(id)
  if (rollout === undefined) return

  for (const member of await members.listUnderWay(id)) {
    const decision = decideProgress(member, { ...rollout, ...rollout.settings, now: clock.now() })
    if (decision.kind === 'wait') continue
    if (decision.kind === 'again') await ask(deps, rollout, member)
    else if (decision.kind === 'released') await members.update(id, member.orgId, { from: ['rolling'], to: 'pending' })
    else
      await members.update(id, member.orgId, {
        from: ['rolling', 'stalled'],
        to: decision.kind,
        reason: 'reason' in decision ? decision.reason : undefined,
      })
  }
}
