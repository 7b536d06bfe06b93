import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { TERMINAL } from '../audit/audit-trail.ts'
import type { Db } from '../db/database.ts'
import { mintSetupLink } from './setup-link.ts'
import { setupRepository } from './setup.repository.ts'

type Deps = { db: Db; clock: Clock; operatorOrg: string; baseUrl: string; email: string | undefined }

/**
 * Makes the person of a confirmed address the first system admin, or mints a one-time link for that. Does nothing when
 * there is an admin already.
 */
export async function bootstrapAdmin({ db, clock, operatorOrg, baseUrl, email }: Deps) {
  const setup = setupRepository(db, clock)
  if (email === undefined) {
    const setupLink = await mintSetupLink({ setup, operatorOrg, baseUrl })
    if (setupLink === undefined) throw alreadyDone()
    return { setupLink }
  }
  if (await setup.hasAdmin(operatorOrg)) throw alreadyDone()

  const userId = await setup.findConfirmedUser(email)
  if (userId === undefined)
    throw fail('not_found', undefined, { message: `Nobody with an account has confirmed ${email}.` })
  const tokenHash = createHash('sha256').update(randomBytes(32)).digest('hex')
  await setup.replaceLink({ tokenHash, operatorOrg })
  await setup.claim({ tokenHash, userId, operatorOrg, actor: TERMINAL })
  return { admin: { userId, email } }
}

const alreadyDone = () => fail('forbidden', undefined, { message: 'There is a system admin already.' })
