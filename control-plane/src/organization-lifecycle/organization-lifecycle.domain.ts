import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Config } from '../config.ts'
import type { DaemonKeys } from '../daemon-keys/daemon-keys.domain.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { JobHandler, Wake } from '../jobs/jobs.ts'
import type { GrowthSettings } from '../managed-daemons/auto-grow.ts'
import type { ManagedDaemons } from '../managed-daemons/managed-daemons.domain.ts'
import { hostedRelayUrl, newDaemonSpec, specToRemove } from '../managed-daemons/new-daemon-spec.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import type { CreationDeps } from '../organizations/create-organization.ts'
import type { Organizations } from '../organizations/organizations.domain.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { createDeleteOrganization } from './delete-organization.ts'
import { createFollowDaemons, SETTLE_DAEMON } from './follow-daemons.ts'
import type { OrganizationDeletion } from './organization-deletion.domain.ts'
import { organizationLifecycleRoutes } from './organization-lifecycle.routes.ts'
import { createHosted, createHostedWithoutGrant, createSelfHosted } from './provision-organization.ts'
import { createSettleDaemon } from './settle-daemon.ts'

type Deps = {
  config: Pick<Config, 'environment' | 'provisioningCode' | 'operatorOrg' | 'managedDaemons'>
  db: Db
  clock: Clock
  log: Log
  store: ManagedDaemonStore | undefined
  organizations: Organizations
  daemonKeys: DaemonKeys
  managed: ManagedDaemons
  events: LifecycleEventsRepository
  deletion: OrganizationDeletion
  hasPaymentHistory(orgId: string, within?: Db): Promise<boolean>
  run: RunOperation
  wake: Wake
  /** Wakes the settling of one organization's daemon. */
  wakeSettling(orgId: string): Promise<void>
  resolveImage: ResolveImage
  /** Appends to a chain of the audit, in the caller's transaction. */
  recordAudit: CreationDeps['recordAudit']
  /** How the volume of an organization grows by itself. */
  growthOf(orgId: string): Promise<GrowthSettings>
}

/** The life of an organization: created, provisioned with a hosted daemon, settled, deleted. */
export function createOrganizationLifecycle(deps: Deps) {
  const { config, db, clock, log, store, organizations, daemonKeys, managed, events, deletion } = deps
  const { environment, provisioningCode, operatorOrg, managedDaemons: settings } = config
  const { records: daemons } = managed

  const settle =
    store &&
    createSettleDaemon({
      store,
      daemons,
      growthOf: deps.growthOf,
      relayUrlOf: (orgId) => hostedRelayUrl(settings, orgId),
      log,
      findGeneration: daemonKeys.findGeneration,
      acceptKey: daemonKeys.acceptHosted,
      recordEvent: events.insert,
      finishDeletion: deletion.finish,
      describe: async (row) => {
        const organization = await organizations.find(row.organization_id)
        if (organization === undefined) throw fail('not_found')
        const [image, keyGeneration] = await Promise.all([
          deps.resolveImage(row.image),
          daemonKeys.findGeneration(row.organization_id),
        ])
        return newDaemonSpec({ row: { ...row, image }, orgSlug: organization.slug, keyGeneration, settings })
      },
      describeToRemove: async (row) => {
        const orgSlug = await organizations.records.findSlug(row.organization_id)
        if (orgSlug === undefined) throw fail('not_found')
        const keyGeneration = await daemonKeys.findGeneration(row.organization_id)
        return specToRemove({ row, orgSlug, keyGeneration, settings, repository: settings.repository })
      },
    })
  const follower =
    store &&
    createFollowDaemons({
      store,
      wake: deps.wake,
      recordObserved: events.insertObserved,
      listActive: daemons.listActive,
      log,
    })

  const creation = { organizations: organizations.records, recordAudit: deps.recordAudit }

  return {
    handlers: (settle === undefined ? {} : { [SETTLE_DAEMON]: settle }) as Record<string, JobHandler>,
    sweep: {
      kind: SETTLE_DAEMON,
      listUnfinished: async () => [
        ...new Set([...(await daemons.listUnfinished()), ...((await follower?.listUnsettled()) ?? [])]),
      ],
    },
    /** Follows the resources. Returns the function that stops it. */
    follow: (): (() => void) => follower?.start() ?? (() => {}),

    routes: ({ guards, rateLimit }: { guards: Guards; rateLimit: RateLimit }) => [
      organizationLifecycleRoutes({
        guards,
        rateLimit,
        createSelfHosted: createSelfHosted({
          ...creation,
          db,
          issueKey: daemonKeys.issue,
          relayUrlOf: daemonKeys.relayUrlOf,
        }),
        createHostedWithoutGrant: createHostedWithoutGrant({ ...creation, db }),
        createHosted: createHosted({
          ...creation,
          db,
          environment,
          provisioningCode,
          image: store && settings.image,
          grant: managed.grant,
          installLease: (trx, lease) => daemons.insertLease(trx, { ...lease, action: 'provision', epoch: 0 }),
          recordEntitled: (orgId) => events.insert(orgId, 'entitled'),
          wake: deps.wakeSettling,
        }),
        deleteOrganization: createDeleteOrganization({
          clock,
          operatorOrg,
          organizations: organizations.records,
          hasPaymentHistory: deps.hasPaymentHistory,
          run: deps.run,
        }),
      }),
    ],
  }
}
