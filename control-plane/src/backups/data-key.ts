import { createHash, hkdfSync } from 'node:crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** The key that seals the backups of one organization, as hex. Derived from the platform's key, stored nowhere. */
export const dataKeyOf = (backupKey: Secret, orgId: string): string =>
  Buffer.from(hkdfSync('sha256', backupKey.reveal(), '', `svc backup of ${orgId}`, 32)).toString('hex')

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** How the ids of backups start that were requested at this second; ids of earlier ones are smaller. */
export const backupIdPrefix = (requestedAt: Date): string =>
  `bak_${requestedAt.toISOString().replace(/\D/g, '').slice(0, 14)}`

/** The backup id of an operation: the same for each of its executions, and greater for a later operation. */
export function backupIdOf({ operationId, requestedAt }: { operationId: string; requestedAt: Date }): string {
  const hash = createHash('sha256').update(operationId).digest()
  return `${backupIdPrefix(requestedAt)}${Array.from(hash.subarray(0, 10), (byte) => ALPHABET[byte & 31]).join('')}`
}
