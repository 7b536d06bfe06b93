import type { Clock } from '@svc/shared/kit/clock.ts'
import type { DaemonKeys } from '../daemon-keys/daemon-keys.domain.ts'
import type { Db } from '../db/database.ts'
import { insertRevocation } from '../entry/insert-revocation.ts'
import type { ManagedDaemons } from '../managed-daemons/managed-daemons.domain.ts'
import type { EffectTools } from '../operations/operation-engine.ts'
import type { Effects } from '../operations/operation.ts'
import type { Organizations } from '../organizations/organizations.domain.ts'
import { createBeginDeletion, createFinishDeletion } from './delete-organization.ts'
import { organizationDeletionsRepository } from './organization-deletions.repository.ts'
import { createTearDown } from './tear-down.ts'

type Deps = {
  db: Db
  clock: Clock
  organizations: Organizations
  daemonKeys: DaemonKeys
  managed: ManagedDaemons
  hasPaymentHistory(orgId: string, within?: Db): Promise<boolean>
  wakeSettling(orgId: string): Promise<void>
  /** How long an execution waits for the teardown before the operation becomes retryable. */
  timeoutMs: number
}

export type OrganizationDeletion = ReturnType<typeof createOrganizationDeletion>

/** The end of an organization: the effect that starts it and the step that completes it. */
export function createOrganizationDeletion(deps: Deps) {
  const { db, clock, organizations, daemonKeys, managed, hasPaymentHistory, wakeSettling, timeoutMs } = deps
  const shared = { db, organizations: organizations.records, deletions: organizationDeletionsRepository(db, clock) }
  const begin = createBeginDeletion({
    ...shared,
    hasPaymentHistory,
    markDaemon: managed.records.updateDeleting,
    revoke: async (trx, orgId) => {
      await daemonKeys.revokeAll(trx, orgId)
      await insertRevocation(trx, { kind: 'organization', subject: orgId, clock })
    },
  })

  return {
    finish: createFinishDeletion({ ...shared, deleteDaemonRow: managed.deleteRecords }),
    effects: ({ events, fencedTransaction }: EffectTools): Effects => ({
      deletion: createTearDown({
        events,
        fencedTransaction,
        findTombstone: shared.deletions.findTombstone,
        clock,
        timeoutMs,
        beginDeletion: begin,
        wakeTeardown: wakeSettling,
      }),
    }),
  }
}
