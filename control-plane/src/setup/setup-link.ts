import { createHash, randomBytes } from 'node:crypto'
import { fail } from '@svc/shared/wire/errors.ts'
import type { SetupRepository } from './setup.repository.ts'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** Mints a one-time link for the first system admin, or returns undefined when there is one. Revokes older links. */
export async function mintSetupLink({ setup, operatorOrg, baseUrl }: MintDeps): Promise<string | undefined> {
  if (await setup.hasAdmin(operatorOrg)) return undefined

  const token = randomBytes(24).toString('base64url')
  await setup.replaceLink({ tokenHash: hashOf(token), operatorOrg })
  return `${baseUrl}/setup#${token}`
}

type MintDeps = { setup: SetupRepository; operatorOrg: string; baseUrl: string }

/** Makes a signed-in person the first system admin. A used or replaced link is not_found. */
export async function claimSetupLink({ setup, operatorOrg, token, userId }: ClaimDeps): Promise<void> {
  const claimed = await setup.claim({
    tokenHash: hashOf(token),
    userId,
    operatorOrg,
    actor: { kind: 'user', id: userId },
  })
  if (!claimed) throw fail('not_found', undefined, { message: 'This setup link was used, or a newer one was made.' })
}

type ClaimDeps = { setup: SetupRepository; operatorOrg: string; token: string; userId: string }
