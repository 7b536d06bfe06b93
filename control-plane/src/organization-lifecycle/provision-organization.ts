import { sameSecret } from '@svc/shared/kit/same-secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from '../db/database.ts'
import { createOrganization, type CreationDeps } from '../organizations/create-organization.ts'

type NewOrganization = { name: string; slug?: string | undefined; creatorId: string }

type SelfHostedDeps = CreationDeps & {
  db: Db
  issueKey(trx: Db, orgId: string): Promise<{ apiKey: string; daemonId: string }>
  relayUrlOf(orgId: string): string
}

/** Creates a self-hosted organization, its first admin and the key of its daemon in one transaction. */
export function createSelfHosted({ db, issueKey, relayUrlOf, ...creation }: SelfHostedDeps) {
  return (request: NewOrganization) =>
    db.transaction().execute(async (trx) => {
      const organization = await createOrganization(trx, creation, { ...request, daemonMode: 'self_hosted' })
      const { apiKey, daemonId } = await issueKey(trx, organization.id)
      const actor = { kind: 'user', id: request.creatorId } as const
      const issued = { event: 'daemon_key.issued', actor, orgId: organization.id, subject: daemonId }
      await creation.recordAudit(trx, organization.id, issued)
      return { organization, apiKey, daemonId, relayUrl: relayUrlOf(organization.id) }
    })
}

/** Creates a hosted organization without an entitlement; a grant gives it one. */
export function createHostedWithoutGrant({ db, ...creation }: CreationDeps & { db: Db }) {
  return (request: NewOrganization) =>
    db.transaction().execute((trx) => createOrganization(trx, creation, { ...request, daemonMode: 'cloud_hosted' }))
}

export type HostedDeps = CreationDeps & {
  db: Db
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
      const created = await createOrganization(trx, deps, { ...request, daemonMode: 'cloud_hosted' })
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
