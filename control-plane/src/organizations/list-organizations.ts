import type { z } from 'zod'
import type { OrganizationView } from '@svc/shared/wire/control-plane.api.ts'
import type { OrganizationsRepository } from './organizations.repository.ts'
import { isPublicMailDomain } from './public-mail-domains.ts'

/** The organizations of a person as their settings show them, without the admins' fields for members. */
export async function listOrganizations(
  organizations: OrganizationsRepository,
  userId: string,
): Promise<z.input<typeof OrganizationView>[]> {
  const rows = await organizations.listOf(userId)
  return rows.map(({ daemonMode, domain, invitations, ...organization }) => ({
    ...organization,
    ...(daemonMode === null ? {} : { daemonMode }),
    ...(organization.role === 'admin'
      ? {
          invitations: invitations.map(({ role, expiresAt, ...invitation }) => ({
            ...invitation,
            role: role ?? 'member',
            expiresAt: new Date(expiresAt).toISOString(),
          })),
          // The domain may have been bound before it was known as a public one.
          autoAdmit: domain === null || isPublicMailDomain(domain) ? { enabled: false } : { enabled: true, domain },
        }
      : {}),
  }))
}
