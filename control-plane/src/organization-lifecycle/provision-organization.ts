import { sameSecret } from '@svc/shared/kit/same-secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from '../db/database.ts'
import { createOrganization } from '../organizations/create-organization.ts'
import type { OrganizationsRepository } from '../organizations/organizations.repository.ts'

type NewOrganization = { name: string; slug?: string | undefined; creatorId: string }

type SelfHostedDeps = {
  db: Db
  organizations: OrganizationsRepository
  issueKey(trx: Db, orgId: string): Promise<{ apiKey: string; daemonId: string }>
  relayUrlOf(orgId: string): string
}

/** Creates a self-hosted organization, its first admin and the key of its daemon in one transaction. */
export function createSelfHosted({ db, organizations, issueKey, relayUrlOf }: SelfHostedDeps) {
  return (request: NewOrganization) =>
    db.transaction().execute(async (trx) => {
      const organization = await createOrganization(trx, organizations, { ...request, daemonMode: 'self_hosted' })
      const { apiKey, daemonId } = await issueKey(trx, organization.id)
      return { organization, apiKey, daemonId, relayUrl: relayUrlOf(organization.id) }
    })
}

export type WithoutGrantDeps = {
  db: Db
  organizations: OrganizationsRepository
  recordAudit(
    trx: Db,
    chain: string,
    record: { event: string; actor: { kind: 'user'; id: string }; orgId: string },
  ): Promise<void>
}

/** Creates a hosted organization without an entitlement; a grant gives it one. */
export function createHostedWithoutGrant({ db, organizations, recordAudit }: WithoutGrantDeps) {
  return (request: NewOrganization) =>
    db.transaction().execute(async (trx) => {
      const organization = await createOrganization(trx, organizations, { ...request, daemonMode: 'cloud_hosted' })
      const actor = { kind: 'user', id: request.creatorId } as const
      await recordAudit(trx, organization.id, { event: 'organization.created', actor, orgId: organization.id })
      return organization
    })
}

export type HostedDeps = {
  db: Db
  organizations: OrganizationsRepository
  environment: string
  provisioningCode: Secret | undefined
  /** Image of new daemons; undefined where hosted daemons are not available. */
  image: string | undefined
  grant(trx: Db, entitlement: { orgId: string; operationId: string }): Promise<unknown>
  installLease(trx: Db, lease: { orgId: string; image: string; operationId: string }): Promise<unknown>
  recordEntitled(orgId: string): Promise<void>
  wake(orgId: string): Promise<void>
}

/** True where creating a hosted organization needs the provisioning code. */
export const needsCode = (environment: string): boolean => environment !== 'local' && environment !== 'test'

/**
 * Creates a complimentary hosted organization with its entitlement and provisioning lease in one transaction. The job
 * is only woken; a lost wake costs a sweep.
 */
export function createHosted(deps: HostedDeps) {
  return async ({ provisioningCode, ...request }: NewOrganization & { provisioningCode?: string | undefined }) => {
    if (needsCode(deps.environment) && !isCode(deps.provisioningCode, provisioningCode))
      throw fail(
        'forbidden',
        { reason: 'provisioning_code' },
        { message: 'The provisioning code is missing or wrong.' },
      )
    const { image } = deps
    if (image === undefined)
      throw fail('forbidden', { reason: 'no_managed_daemons' }, { message: 'This platform runs no managed daemons.' })

    const organization = await deps.db.transaction().execute(async (trx) => {
      const created = await createOrganization(trx, deps.organizations, { ...request, daemonMode: 'cloud_hosted' })
      const operationId = `provision-${newId('')}`
      await deps.grant(trx, { orgId: created.id, operationId })
      await deps.installLease(trx, { orgId: created.id, image, operationId })
      return created
    })
    await deps.recordEntitled(organization.id)
    await deps.wake(organization.id)
    return organization
  }
}

function isCode(expected: Secret | undefined, given: string | undefined): boolean {
  return expected !== undefined && given !== undefined && sameSecret(expected.reveal(), given)
}
