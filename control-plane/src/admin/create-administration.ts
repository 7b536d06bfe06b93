import { hostname } from 'node:os'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { randomBase32 } from '@svc/shared/wire/ids.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { createAudit } from '../audit/audit.domain.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { JobHandler, Wake } from '../jobs/jobs.ts'
import { backgroundExecutions } from '../operations/background-executions.ts'
import { createOperations } from '../operations/operations.domain.ts'
import { EXECUTE_OPERATION } from '../operations/operations-api.ts'
import { holdExecutorLock, type ExecutorLock } from '../operations/executor-lock.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { createRollouts } from '../rollouts/rollouts.domain.ts'
import { ADVANCE_ROLLOUT } from '../rollouts/rollouts-api.ts'
import { rolloutOfOperation } from '../rollouts/create-rollout.ts'
import { adminEffects, type AdminEffectsDeps } from '../effects/effects.domain.ts'
import { checkImage } from '../registry/allowed-image.ts'
import { confirmedOperationsRoutes } from '../effects/confirmed-operations.routes.ts'
import { daemonWaiter } from '../managed-daemons/daemon-waiter.ts'
import { grantsRepository } from '../effects/grants.repository.ts'
import { admitHosted, type FindOrganization } from '../effects/hosted-organization.ts'
import { imageRollRoutes } from '../effects/image-roll.routes.ts'
import { inventoryRepository } from '../inventory/inventory.repository.ts'
import { inventoryRoutes } from '../inventory/inventory.routes.ts'
import { tearDown, type TearDownDeps } from '../organization-lifecycle/tear-down.ts'

type Deps = Pick<AdminEffectsDeps, 'installGrant' | 'leaseAgain' | 'wakeProvisioning' | 'readStorage'> & {
  beginDeletion: TearDownDeps['beginDeletion']
  config: Pick<Config, 'operatorOrg' | 'authSecret' | 'databaseUrl' | 'managedDaemons' | 'auditRetentionDays'>
  db: Db
  clock: Clock
  log: Log
  /** Where ManagedDaemon resources live; undefined: no hosted organizations, and no operations on them. */
  store: ManagedDaemonStore | undefined
  wake: Wake
  findOrganization: FindOrganization
  resolveImage: ResolveImage
}

type Deletion = { orgId: string; operationId: string; requestedBy: string; waitMs: number }

const EFFECT_TIMEOUT_MS = 10 * 60_000

export type Administration = ReturnType<typeof createAdministration>

/** System administration: audited operations, their effects, fleet rollouts, the audit, and all their routes. */
export function createAdministration({
  config,
  db,
  clock,
  log,
  store,
  wake,
  findOrganization,
  resolveImage,
  ...verbs
}: Deps) {
  const { repository, digests, registry, image } = config.managedDaemons
  const tags = registry.url === 'none' ? 'as_they_are' : 'resolved'
  const executor = `${hostname()}-${process.pid}:${randomBase32(12)}`
  const waiter = store && daemonWaiter({ store, clock, log })
  const grants = grantsRepository(db)
  const common = { ...verbs, clock, grants, image, resolveImage, timeoutMs: EFFECT_TIMEOUT_MS }
  const checkImageHere = (reference: string) => checkImage(reference, { repository, digests, tags })

  const audit = createAudit({ db, clock, log, secret: config.authSecret })
  const operations = createOperations({
    db,
    clock,
    log,
    executor,
    wake: (operationId) => wake(EXECUTE_OPERATION, operationId),
    isLiving: async (orgId) => (await findOrganization(orgId)) !== undefined,
    effects: (tools) => ({
      deletion: tearDown({ ...common, ...tools, wakeTeardown: verbs.wakeProvisioning }),
      ...(store && waiter ? adminEffects({ ...common, store, waiter })(tools) : {}),
    }),
  })
  const rollouts =
    store &&
    createRollouts({
      db,
      clock,
      log,
      store,
      run: operations.run,
      wake: (rolloutId) => wake(ADVANCE_ROLLOUT, rolloutId),
      checkImage: checkImageHere,
      resolveImage,
    })

  const executions = backgroundExecutions({
    execute: operations.execute,
    // The rollout that an operation is a part of need not look again by itself.
    onEnded: async (operationId) => {
      const rolloutId = rolloutOfOperation(operationId)
      if (rolloutId !== undefined) await wake(ADVANCE_ROLLOUT, rolloutId)
    },
    log,
  })

  let lock: ExecutorLock | undefined
  let stopUpkeep: (() => Promise<void>) | undefined

  return {
    operations,
    audit,
    /** Deletes an organization as an audited operation of one of its admins. */
    runDeletion: ({ orgId, operationId, requestedBy, waitMs }: Deletion) => {
      const actor = { kind: 'user', id: requestedBy } as const
      const reason = 'deleted by an admin of the organization'
      return operations.run({ operationId, action: 'deletion', orgId, actor, reason, input: {} }, { waitMs })
    },
    /** Wakes a sleeping daemon by the roll that a rollout has deferred for it. False: wake it as usual. */
    rollAtWake: async (orgId: string): Promise<boolean> => (await rollouts?.rollAtWake(orgId)) ?? false,
    handlers: { [EXECUTE_OPERATION]: executions.start, ...rollouts?.handlers } as Record<string, JobHandler>,
    sweeps: [operations.sweepSource, ...(rollouts ? [rollouts.sweep] : [])],

    routes: (guards: Guards): FastifyPluginAsyncZod[] => {
      const { run } = operations
      const admit = admitHosted(findOrganization)
      const shown = { list: async () => (await store?.list()) ?? [] }
      const inventory = inventoryRepository(db, clock)
      return [
        inventoryRoutes({
          guards,
          inventory,
          events: operations.events,
          store: shown,
          operatorOrg: config.operatorOrg,
        }),
        operations.routes(guards, findOrganization),
        audit.routes(guards),
        ...(store && rollouts
          ? [
              imageRollRoutes({ guards, run, store, checkImage: checkImageHere, resolveImage, admitHosted: admit }),
              confirmedOperationsRoutes({ guards, run, findOrganization, admitHosted: admit }),
              rollouts.routes(guards),
            ]
          : []),
      ]
    },

    /** Before the first job: a worker executes only while it holds its lock, which keeps recovery off its claims. */
    startWorking: async (): Promise<void> => {
      lock = await holdExecutorLock({ databaseUrl: config.databaseUrl, executor, clock, log, random: Math.random })
      stopUpkeep = audit.startUpkeep(config.auditRetentionDays)
    },
    /** After the last job. */
    close: async (): Promise<void> => {
      await executions.drain()
      waiter?.close()
      await stopUpkeep?.()
      await lock?.release()
    },
  }
}
