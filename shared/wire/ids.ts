import { randomBytes } from 'node:crypto'
import { z } from 'zod'

// RFC 4648 base32, lower case: ids fold into host names and Kubernetes names unchanged.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const BODY_LENGTH = 24

/** The things that have an id of ours, by prefix. */
export const idPrefixes = { organization: 'org_', user: 'usr_', daemon: 'dmn_', invitation: 'inv_' } as const

const idSchema = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}[a-z2-7]{${BODY_LENGTH}}$`), `must be an id that begins with ${prefix}`)

export const OrgId = idSchema('org_')
export const UserId = idSchema('usr_')
export const DaemonId = idSchema('dmn_')
export const InvitationId = idSchema('inv_')

/** Random lower-case base32 text; each character carries 5 bits. */
export function randomBase32(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join('')
}

/** A new id: the prefix and 24 characters of base32 (120 bits). */
export function newId(prefix: string): string {
  return prefix + randomBase32(BODY_LENGTH)
}

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
