import { symmetricDecrypt } from 'better-auth/crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** How many recovery codes a person has left. The library stores them as one sealed list. */
export async function countRecoveryCodes(sealed: string, secret: Secret): Promise<number> {
  const codes: unknown = JSON.parse(await symmetricDecrypt({ key: secret.reveal(), data: sealed }))
  return Array.isArray(codes) ? codes.length : 0
}
