import { createHash, hkdfSync } from 'node:crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** The key that seals the backups of one organization, as hex. Derived from the platform's key, stored nowhere. */
export const dataKeyOf = (backupKey: Secret, orgId: string): string =>
  Buffer.from(hkdfSync('sha256', backupKey.reveal(), '', `svc backup of ${orgId}`, 32)).toString('hex')

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const HASH_LENGTH = 10

/** How the ids of backups start that were requested at this second; ids of earlier ones are smaller. */
export const backupIdPrefix = (requestedAt: Date): string =>
  `bak_${requestedAt.toISOString().replace(/\D/g, '').slice(0, 14)}`

/** The backup id of an operation that was requested then; greater for a later one. */
export function backupIdOf({ operationId, requestedAt }: { operationId: string; requestedAt: Date }): string {
  const hash = createHash('sha256').update(operationId).digest()
  const letters = Array.from(hash.subarray(0, HASH_LENGTH), (byte) => ALPHABET[byte & 31])
  return `${backupIdPrefix(requestedAt)}${letters.join('')}`
}

/** The part of a backup id that names its operation: a restore makes a backup with each attempt. */
export const operationPart = (backupId: string): string => backupId.slice(-HASH_LENGTH)
