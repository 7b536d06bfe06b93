import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { managedDaemonName, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { JobHandler, Wake } from '../jobs/jobs.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { entitlementsRepository } from './entitlements.repository.ts'
import { findHostedState } from './hosted-state.ts'
import { followDaemons, SETTLE_DAEMON } from '../organization-lifecycle/follow-daemons.ts'
import { managedDaemonsRoutes } from './managed-daemons.routes.ts'
import { managedDaemonsRepository } from './managed-daemons.repository.ts'
import { readHostedStatus } from './read-hosted-status.ts'
import { newDaemonSpec } from './new-daemon-spec.ts'
import { settleDaemon, type SettleDeps } from '../organization-lifecycle/settle-daemon.ts'
import { wakeDaemon } from './wake-daemon.ts'

type Deps = Pick<SettleDeps, 'acceptKey' | 'finishDeletion' | 'recordEvent'> & {
  settings: Config['managedDaemons']
  resolveImage: ResolveImage
  db: Db
  clock: Clock
  log: Log
  store: ManagedDaemonStore | undefined
  wake: Wake
  findOrganization(orgId: string): Promise<{ slug: string } | undefined>
  /** Generation of the newest relay key that was ever accepted of the organization's daemon; 0 without one. */
  findKeyGeneration(orgId: string): Promise<number>
  recordObserved(orgId: string, state: ObservedState, detail: { image?: string }): Promise<void>
}

type RouteDeps = {
  guards: Guards
  isConnected(orgId: string): Promise<boolean>
  wake(orgId: string): Promise<unknown>
}

export type ManagedDaemons = ReturnType<typeof createManagedDaemons>

/** What the control plane does for hosted daemons: lease, settle, follow, wake. Without a store there are none. */
export function createManagedDaemons({ settings, db, clock, log, store, wake, ...deps }: Deps) {
  const daemons = managedDaemonsRepository(db, clock)
  const entitlements = entitlementsRepository(clock)
  const findState = async (orgId: string): Promise<ObservedState | undefined> =>
    (await store?.find(managedDaemonName(orgId)))?.status.observedState

  const settle =
    store &&
    settleDaemon({
      ...deps,
      store,
      daemons,
      log,
      describe: async (row) => {
        const organization = await deps.findOrganization(row.organization_id)
        if (organization === undefined) throw fail('not_found')
        const [image, keyGeneration] = await Promise.all([
          deps.resolveImage(row.image),
          deps.findKeyGeneration(row.organization_id),
        ])
        return newDaemonSpec({ row: { ...row, image }, orgSlug: organization.slug, keyGeneration, settings })
      },
    })

  let follower: ReturnType<typeof followDaemons> | undefined

  return {
    daemons,
    entitlements,
    findState,
    findHostedState: findHostedState({ store, daemons }),
    wake: wakeDaemon({ store, recordWake: (orgId) => deps.recordEvent(orgId, 'wake_requested') }),
    /** Hints that a daemon has work to be done; a sweep comes anyway. */
    hint: (orgId: string) =>
      wake(SETTLE_DAEMON, orgId).catch((err: unknown) => log.warn({ err, orgId }, 'wake-up lost; a sweep follows')),
    handlers: (settle === undefined ? {} : { [SETTLE_DAEMON]: settle }) as Record<string, JobHandler>,
    routes: ({ guards, isConnected, wake }: RouteDeps) =>
      managedDaemonsRoutes({ guards, readHostedStatus: readHostedStatus({ store, daemons, isConnected }), wake }),
    sweep: {
      kind: SETTLE_DAEMON,
      listUnfinished: async () => [
        ...new Set([...(await daemons.listUnfinished()), ...((await follower?.listUnsettled()) ?? [])]),
      ],
    },
    /** Follows the resources. Answers how to stop. */
    follow: (): (() => void) => {
      if (store === undefined) return () => {}
      const { recordObserved } = deps
      follower = followDaemons({ store, wake, recordObserved, listActive: daemons.listActive, log })
      return follower.stop
    },
  }
}
