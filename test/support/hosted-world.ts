import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { idBody, idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { lifecycleEventsRepository } from '../../control-plane/src/operations/lifecycle-events.repository.ts'
import { createFollowDaemons } from '../../control-plane/src/organization-lifecycle/follow-daemons.ts'
import { managedDaemonsRepository } from '../../control-plane/src/managed-daemons/managed-daemons.repository.ts'
import { hostedRelayUrl, newDaemonSpec, specToRemove } from '../../control-plane/src/managed-daemons/new-daemon-spec.ts'
import { createSettleDaemon } from '../../control-plane/src/organization-lifecycle/settle-daemon.ts'
import { createFinishDeletion } from '../../control-plane/src/organization-lifecycle/delete-organization.ts'
import { organizationDeletionsRepository } from '../../control-plane/src/organization-lifecycle/organization-deletions.repository.ts'
import { organizationsRepository } from '../../control-plane/src/organizations/organizations.repository.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { createReconciler } from '../../operator/src/reconciler/reconciler.ts'
import { memoryRuntime } from './memory-runtime.ts'
import { until } from './until.ts'

export const IMAGES = 'registry.example.net/svcd'
export const FIRST_IMAGE = `${IMAGES}@sha256:${'1'.repeat(64)}`
export const limits = { startDeadlineMs: 30_000, soakMs: 0, pollMs: 10, steadyMs: 5_000 }

type Options = { url: Secret; clock?: Clock; isBad?: (daemon: ManagedDaemon, image: string) => boolean }
export type HostedWorld = Awaited<ReturnType<typeof hostedWorld>>

/**
 * Hosted organizations on real Postgres: the table of resources, the real reconciler over a runtime in memory, and the
 * control plane's own handling of daemons. The operations under test run in this process or in others.
 */
export async function hostedWorld({ url, clock = systemClock, isBad }: Options) {
  const log = createLog({ service: 'test', level: process.env.TEST_LOG ?? 'fatal' })
  const { db, pool, close } = openDatabase({ url, log, max: 16 })
  const store = await createManagedDaemonTable({ pool, clock: systemClock, log })
  const { runtime, actions, loseVolume } = memoryRuntime({ isBad })
  const reconciler = createReconciler({ store, runtime, clock: systemClock, log, random: Math.random, limits })
  const daemons = managedDaemonsRepository(db, clock)
  const events = lifecycleEventsRepository(db, clock)

  const growth = { maxSize: undefined, abovePercent: 80 }
  const settings = {
    relayUrl: 'https://relay.example.net',
    storage: { size: '64Mi', className: undefined, growth },
    resources: { cpu: '1', memory: '1Gi' },
  }
  const accepted = new Map<string, number>()
  const settle = createSettleDaemon({
    store,
    growthOf: async () => growth,
    relayUrlOf: (orgId) => hostedRelayUrl(settings, orgId),
    daemons,
    describe: async (row) => newDaemonSpec({ row, orgSlug: 'acme', keyGeneration: 0, settings }),
    describeToRemove: async (row) =>
      specToRemove({ row, orgSlug: 'acme', keyGeneration: 0, settings, repository: undefined }),
    findGeneration: async (orgId) => accepted.get(orgId) ?? 0,
    acceptKey: async ({ orgId, generation }) => void accepted.set(orgId, generation),
    recordEvent: events.insert,
    finishDeletion: createFinishDeletion({
      db,
      organizations: organizationsRepository(db, clock),
      deletions: organizationDeletionsRepository(db, clock),
      deleteDaemonRow: daemons.delete,
    }),
    log,
  })
  // Works like the job queue: wake-ups are merged, and a step may request another run.
  const busy = new Map<string, Promise<void>>()
  const signal = new AbortController()
  const wake = async (orgId: string): Promise<void> => {
    const before = busy.get(orgId) ?? Promise.resolve()
    const next = before.then(async () => {
      if (!signal.signal.aborted) await settle(orgId, signal.signal)
    })
    const kept = next.catch(() => {})
    busy.set(orgId, kept)
    await kept
  }
  const follower = createFollowDaemons({
    store,
    wake: (_kind, orgId) => wake(orgId),
    recordObserved: events.insertObserved,
    listActive: daemons.listActive,
    log,
  })
  const stopFollowing = follower.start()
  reconciler.start()
  // The sweep completes what is left if a process dies between its commit and its wake-up, or if the database is
  // unavailable.
  const unfinished = async () => [...(await daemons.listUnfinished()), ...(await follower.listUnsettled())]
  const sweep = async () => {
    while (!signal.signal.aborted) {
      for (const orgId of await unfinished().catch(() => [])) void wake(orgId)
      await systemClock.sleep(200, signal.signal).catch(() => {})
    }
  }
  const sweeping = sweep()

  return {
    db,
    pool,
    log,
    store,
    actions,
    loseVolume,
    daemons,
    events,
    settle: wake,

    /** An organization without a daemon. */
    createOrganization: async (daemonMode: 'cloud_hosted' | 'self_hosted' = 'cloud_hosted') => {
      const id = newId(idPrefixes.organization)
      const slug = `acme-${idBody(id).slice(0, 10)}`
      const row = {
        id,
        name: 'Acme',
        slug,
        daemon_mode: daemonMode,
        createdAt: clock.now(),
        logo: null,
        metadata: null,
      }
      await db.insertInto('organization').values(row).execute()
      return { orgId: id, slug }
    },

    /** The resource of an organization, once it meets the condition. */
    until: async (orgId: string, wanted: (daemon: ManagedDaemon | undefined) => boolean) => {
      let daemon: ManagedDaemon | undefined
      const isAsWanted = async () => wanted((daemon = await store.find(managedDaemonName(orgId))))
      await until(`the daemon of ${orgId} is as wanted`, isAsWanted, { everyMs: 10 })
      return daemon
    },

    close: async () => {
      signal.abort()
      stopFollowing()
      await reconciler.stop()
      await sweeping
      await Promise.all(busy.values())
      await close()
    },
  }
}

/** Creates an organization whose daemon runs, in the state that a grant leaves. */
export async function runningOrganization(world: HostedWorld) {
  const { orgId, slug } = await world.createOrganization()
  const operationId = `provision-${idBody(orgId)}`
  const lease = { orgId, image: FIRST_IMAGE, operationId, action: 'provision', epoch: 0 } as const
  await world.daemons.insertLease(world.db, lease)
  await world.settle(orgId)
  const daemon = await world.until(
    orgId,
    (found) => found?.status.observedState === 'running' && found.status.operation?.outcome === 'succeeded',
  )
  return { orgId, slug, daemon: daemon! }
}
