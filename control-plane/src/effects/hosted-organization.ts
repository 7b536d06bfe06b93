import { fail } from '@svc/shared/wire/errors.ts'

export type AdminOrganization = {
  id: string
  slug: string
  name: string
  daemonMode: 'self_hosted' | 'cloud_hosted' | null
}
export type FindOrganization = (orgId: string) => Promise<AdminOrganization | undefined>

/** Throws unless an operation on a managed daemon may start for this organization. */
export type AdmitHosted = (orgId: string) => Promise<void>

/** Operations on managed daemons start only for existing organizations with a hosted daemon. */
export function createAdmitHosted(findOrganization: FindOrganization): AdmitHosted {
  return async (orgId) => {
    const organization = await findOrganization(orgId)
    if (organization === undefined) throw fail('not_found')
    if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
  }
}
