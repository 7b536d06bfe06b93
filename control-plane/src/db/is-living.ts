import { sql } from 'kysely'

/** An SQL condition: the organization whose id is in this column is not being deleted. */
export const isLiving = (orgId: 'organization.id' | 'invitation.organizationId' | 'admissions.organization_id') =>
  sql<boolean>`not exists (select from organization_deletions where organization_id = ${sql.ref(orgId)})`
