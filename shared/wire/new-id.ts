import { randomBytes } from 'node:crypto'
import { ID_BODY_LENGTH } from './ids.ts'

// RFC 4648 base32, lower case: ids fold into host names and Kubernetes names unchanged.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** Random lower-case base32 text; each character carries 5 bits. */
export function randomBase32(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join('')
}

/** A new id: the prefix and 24 characters of base32 (120 bits). */
export function newId(prefix: string): string {
  return prefix + randomBase32(ID_BODY_LENGTH)
}
