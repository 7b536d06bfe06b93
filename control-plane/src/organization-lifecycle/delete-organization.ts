import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import type { Membership } from '../http/guards.ts'
import type { OrganizationDeletionsRepository } from './organization-deletions.repository.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import type { OrganizationsRepository } from '../organizations/organizations.repository.ts'

type DeleteDeps = {
  clock: Clock
  organizations: Pick<OrganizationsRepository, 'find'>
  operatorOrg: string | undefined
  /** True when the organization ever paid, or money is reserved for it. */
  hasPaymentHistory(orgId: string): Promise<boolean>
  run: RunOperation
}

type BeginDeps = {
  organizations: OrganizationsRepository
  deletions: OrganizationDeletionsRepository
  hasPaymentHistory(orgId: string, within: Db): Promise<boolean>
  /** Marks the managed daemon for teardown; false when there is none. */
  markDaemon(trx: Db, orgId: string): Promise<boolean>
  /** Ends what outlives the rows: entries and tunnels. */
  revoke(trx: Db, orgId: string): Promise<void>
}

type Request = { organization: Membership['organization']; name: string; requestedBy: string }

const HIDDEN_WITHIN_MS = 25_000
const LOOK_AGAIN_MS = 200

/**
 * Deletes an organization without payment history, confirmed by its exact name, as an audited operation. A hosted one
 * is hidden at once, then a job that survives crashes tears its infrastructure down, and its rows go last. Returns once
 * the organization is hidden.
 */
export function createDeleteOrganization(deps: DeleteDeps) {
  const { clock, organizations, run } = deps

  return async ({ organization, name, requestedBy }: Request): Promise<void> => {
    const { id: orgId } = organization
    if (orgId === deps.operatorOrg) throw fail('forbidden', { reason: 'operator_organization' })
    if (organization.name !== name) throw fail('confirmation_mismatch')
    if (await deps.hasPaymentHistory(orgId)) throw fail('organization_has_payment_history')

    const request = {
      operationId: `deletion-${newId('')}`,
      action: 'deletion',
      orgId,
      actor: { kind: 'user', id: requestedBy },
      reason: 'deleted by an admin of the organization',
      input: {},
    } as const
    const deadline = clock.monotonic() + HIDDEN_WITHIN_MS
    for (;;) {
      try {
        await run(request, { waitMs: LOOK_AGAIN_MS })
        return
      } catch (error) {
        if (!isFailure(error, 'operation_in_progress')) throw error
        if ((await organizations.find(orgId)) === undefined) return
        if (clock.monotonic() > deadline) throw error
      }
    }
  }
}

/**
 * Starts a deletion in the caller's transaction, which holds the claim: after the commit nobody finds the organization.
 * An organization without a daemon is deleted at once. A repeat after a crash changes nothing.
 */
export function createBeginDeletion(deps: BeginDeps) {
  const { organizations, deletions } = deps

  return async (trx: Db, deletion: { orgId: string; operationId: string; requestedBy: string }): Promise<void> => {
    const { orgId, operationId } = deletion
    if ((await organizations.lock(trx, orgId)) === undefined) return
    await deletions.lockClaims(trx, orgId)
    if (await deps.hasPaymentHistory(orgId, trx)) throw fail('organization_has_payment_history')

    await deletions.insert(trx, deletion)
    await deps.revoke(trx, orgId)
    if (await deps.markDaemon(trx, orgId)) return
    await deletions.insertTombstone(trx, { orgId, operationId })
    await organizations.delete(trx, orgId)
  }
}

type FinishDeps = Pick<BeginDeps, 'organizations' | 'deletions'> & {
  db: Db
  deleteDaemonRow(trx: Db, orgId: string): Promise<void>
}

/**
 * The end of a teardown, called when the infrastructure is gone. Deletes the organization if its deletion was requested
 * and leaves a tombstone as the proof. A repeat finds nothing left to do.
 */
export function createFinishDeletion({ db, organizations, deletions, deleteDaemonRow }: FinishDeps) {
  return async (orgId: string): Promise<void> => {
    const deletion = await deletions.find(orgId)
    await db.transaction().execute(async (trx) => {
      await deleteDaemonRow(trx, orgId)
      if (deletion === undefined) return
      await deletions.insertTombstone(trx, { orgId, operationId: deletion.operation_id })
      await organizations.delete(trx, orgId)
    })
  }
}
