import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import type { Rollout, RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Db } from '../db/database.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { createAdvanceRollout } from './advance-rollout.ts'
import { createRollout, planFleet, type RolloutRequest } from './create-rollout.ts'
import { describeRollout } from './describe-rollout.ts'
import { createRollAtWake, createRollAwake } from './roll-at-wake.ts'
import { rolloutMembersRepository } from './rollout-members.repository.ts'
import { rolloutsRepository } from './rollouts.repository.ts'

/** Kind of the job that advances one rollout; its subject is the rollout. */
export const ADVANCE_ROLLOUT = 'advance-rollout'

export type RolloutsDeps = {
  db: Db
  clock: Clock
  log: Log
  store: ManagedDaemonStore
  run: RunOperation
  /** Wakes the worker that advances a rollout. May be lost; a sweep follows. */
  wake: (rolloutId: string) => Promise<void>
  resolveImage: ResolveImage
}
type Change = { actor: Actor; reason: string; failureBudget?: number | undefined }
export type RolloutControl = ReturnType<typeof createRolloutControl>

/** Fleet rollouts, built from single image rolls. */
export function createRolloutControl({ db, clock, log, store, run, wake, resolveImage }: RolloutsDeps) {
  const rollouts = rolloutsRepository(db, clock)
  const members = rolloutMembersRepository(db, clock)
  const advanceDeps = { rollouts, members, store, run, clock, log }
  const advance = createAdvanceRollout(advanceDeps)
  const create = createRollout({ rollouts, store, resolveImage })
  const hint = (id: string) => wake(id).catch((err: unknown) => log.warn({ err, id }, 'wake-up lost; a sweep follows'))
  const rollDeferred = createRollAtWake(advanceDeps)

  const change = (from: RolloutState[], to: RolloutState) => async (id: string, asked: Change) => {
    const { actor, reason, failureBudget } = asked
    if (await rollouts.updateState(id, { from, to, actor, reason, failureBudget })) return
    const known = await rollouts.find(id)
    if (known === undefined) throw fail('not_found')
    // Repeating the request returns the same rollout.
    if (known.state !== to) throw fail('rollout_conflict', { state: known.state })
  }
  const pause = change(['running'], 'paused')
  const resume = change(['paused', 'stopped'], 'running')
  const abort = change(['running', 'paused', 'stopped'], 'aborted')

  return {
    /** What a rollout would do to the fleet now; nothing is recorded. */
    plan: async ({ image, settings }: Pick<RolloutRequest, 'image' | 'settings'>) =>
      planFleet(store, { image: await resolveImage(image), settings }, 'plan'),

    create: async (request: RolloutRequest) => {
      const rollout = await create(request)
      await hint(rollout.id)
      return rollout
    },

    find: async (id: string): Promise<Rollout> => {
      const rollout = await rollouts.find(id)
      if (rollout === undefined) throw fail('not_found')
      const [waves, problems] = await Promise.all([members.countByWave(id), members.listProblems(id)])
      return { ...describeRollout(rollout, waves), problems }
    },

    list: async (limit: number, after: { createdAt: string; id: string } | undefined) => {
      const found = await rollouts.list(limit, after)
      return Promise.all(found.map(async (rollout) => describeRollout(rollout, await members.countByWave(rollout.id))))
    },

    pause,
    resume: async (id: string, asked: Change) => {
      await resume(id, asked)
      await hint(id)
    },
    /** Ends a rollout: members not started yet are released, rolls in progress are completed. */
    abort: async (id: string, asked: Change) => {
      await abort(id, asked)
      await members.skipRest(id, 'Aborted')
      await hint(id)
    },

    /** Wakes a sleeping daemon with the roll that was deferred for it. False: wake it as usual. */
    rollAtWake: rollDeferred,
    /** Rolls an awake daemon to the image that was deferred for it, if there is one. */
    rollAwake: createRollAwake({ store, members, rollAtWake: rollDeferred, log }),

    handlers: { [ADVANCE_ROLLOUT]: advance },
    sweep: { kind: ADVANCE_ROLLOUT, listUnfinished: rollouts.listUnfinished },
  }
}
