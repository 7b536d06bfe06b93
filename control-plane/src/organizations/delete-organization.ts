import { fail } from '@svc/shared/wire/errors.ts'
import { newId } from '@svc/shared/wire/ids.ts'
import type { Db } from '../db/database.ts'
import type { Membership } from '../http/guards.ts'
import type { OrganizationDeletionsRepository } from './organization-deletions.repository.ts'
import type { OrganizationsRepository } from './organizations.repository.ts'

export type DeletionDeps = {
  db: Db
  organizations: OrganizationsRepository
  deletions: OrganizationDeletionsRepository
  operatorOrg: string | undefined
  /** True when the organization ever paid, or money is set aside for it. */
  hasPaymentHistory(orgId: string): Promise<boolean>
  /** True while an audited operation of the organization is under way. */
  isBusy(orgId: string): Promise<boolean>
  /** Marks the managed daemon for teardown; false when there is none. */
  markDaemon(trx: Db, orgId: string): Promise<boolean>
  /** Ends everything that lives on: entries, tunnels. */
  revoke(trx: Db, orgId: string): Promise<void>
  recordEvent(orgId: string, kind: 'deletion_started' | 'deleted'): Promise<void>
  wake(orgId: string): Promise<void>
}

type Request = { organization: Membership['organization']; name: string; requestedBy: string }

/**
 * Deletes an organization that never paid, on its exact name. A hosted one loses its infrastructure first: it is hidden
 * at once, torn down by a job that survives crashes, and its rows go last.
 */
export function deleteOrganization(deps: DeletionDeps) {
  return async ({ organization, name, requestedBy }: Request): Promise<void> => {
    const { id: orgId } = organization
    if (orgId === deps.operatorOrg) throw fail('forbidden', { reason: 'operator_organization' })

    const hosted = await deps.db.transaction().execute(async (trx) => {
      const current = await deps.organizations.lock(trx, orgId)
      if (current === undefined) throw fail('not_found')
      if (current.name !== name) throw fail('confirmation_mismatch')
      await deps.deletions.lockClaims(trx, orgId)
      if (await deps.isBusy(orgId)) throw fail('organization_busy')
      if (await deps.hasPaymentHistory(orgId)) throw fail('organization_has_payment_history')

      const operationId = `deletion-${newId('')}`
      await deps.deletions.insert(trx, { orgId, operationId, requestedBy })
      await deps.revoke(trx, orgId)
      if (await deps.markDaemon(trx, orgId)) return true
      await deps.deletions.insertTombstone(trx, { orgId, operationId })
      await deps.organizations.delete(trx, orgId)
      return false
    })

    await deps.recordEvent(orgId, hosted ? 'deletion_started' : 'deleted')
    if (hosted) await deps.wake(orgId)
  }
}

type FinishDeps = Pick<DeletionDeps, 'db' | 'organizations' | 'deletions' | 'recordEvent'> & {
  deleteDaemonRow(trx: Db, orgId: string): Promise<void>
}

/**
 * The end of a teardown, called when the infrastructure is gone. The organization goes with it if its deletion was asked
 * for. A repeat finds nothing left to do.
 */
export function finishDeletion({ db, organizations, deletions, recordEvent, deleteDaemonRow }: FinishDeps) {
  return async (orgId: string): Promise<void> => {
    const deletion = await deletions.find(orgId)
    await db.transaction().execute(async (trx) => {
      await deleteDaemonRow(trx, orgId)
      if (deletion === undefined) return
      await deletions.insertTombstone(trx, { orgId, operationId: deletion.operation_id })
      await organizations.delete(trx, orgId)
    })
    if (deletion !== undefined) await recordEvent(orgId, 'deleted')
  }
}
