import { z } from 'zod'
import { nextCursor, pageFields } from './admin.api.ts'
import { Role } from '../assertions.ts'
import { OrgId } from '../ids.ts'
import { text } from '../text.ts'

/** What system admins see of all organizations, whoever runs their daemon, and of all people. */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)
const mode = z.enum(['self_hosted', 'cloud_hosted'])

export const OrganizationsQuery = z.strictObject({
  ...pageFields,
  q: text().trim().max(100).optional().describe('Part of the id, slug or name.'),
  mode: mode.optional(),
})
export type OrganizationsQuery = z.infer<typeof OrganizationsQuery>

export const DirectoryOrganization = z.object({
  orgId: OrgId,
  orgSlug: z.string(),
  orgName: z.string(),
  mode: mode.nullable().describe('Null for the organization of the system admins, which has no daemon.'),
  members: count,
  admins: count,
  createdAt: time,
  lastSeenAt: time.nullable().describe('When its daemon last used its connection; null when it never did.'),
})
export type DirectoryOrganization = z.infer<typeof DirectoryOrganization>
export const DirectoryOrganizations = z.object({
  ok,
  organizations: z.array(DirectoryOrganization),
  total: count,
  nextCursor,
})

export const PeopleQuery = z.strictObject({
  ...pageFields,
  q: text().trim().max(100).optional().describe('Part of the id, name or address.'),
})
export type PeopleQuery = z.infer<typeof PeopleQuery>

export const DirectoryPerson = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  twoFactor: z.boolean(),
  createdAt: time,
  lastSeenAt: time.nullable().describe('When one of the sessions that live now was last used.'),
  organizations: z.array(z.object({ orgId: OrgId, orgSlug: z.string(), orgName: z.string(), role: Role })),
})
export type DirectoryPerson = z.infer<typeof DirectoryPerson>
export const DirectoryPeople = z.object({ ok, people: z.array(DirectoryPerson), total: count, nextCursor })
