import { z } from 'zod'

/** Characters of an id after its prefix. */
export const ID_BODY_LENGTH = 24

/** Kinds of our ids, by prefix. */
export const idPrefixes = { organization: 'org_', user: 'usr_', daemon: 'dmn_', invitation: 'inv_' } as const

const idSchema = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}[a-z2-7]{${ID_BODY_LENGTH}}$`), `must be an id that begins with ${prefix}`)

export const OrgId = idSchema('org_')
export const UserId = idSchema('usr_')
export const DaemonId = idSchema('dmn_')
export const InvitationId = idSchema('inv_')

/** The id without its prefix, for host and Kubernetes names. */
export function idBody(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

/** Short name of an organization or vault: 2 to 40 of a-z, 0-9 and single hyphens between them. */
export const Slug = z
  .string()
  .max(40)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens')
  .min(2)

export { slugify } from './slug.ts'
