import { sql } from 'kysely'

/** The condition of a query that an organization, by the column of its id, is not in deletion. */
export const isLiving = (orgId: 'organization.id' | 'invitation.organizationId') =>
  sql<boolean>`not exists (select from organization_deletions where organization_id = ${sql.ref(orgId)})`
