import { fail } from '@svc/shared/wire/errors.ts'
import { decodeJwt } from 'jose'
import type { GuardFinders, Person, Session } from '../http/guards.ts'
import type { AuthRoute } from './auth-routes.ts'

type Body = Record<string, unknown>
export type AuthCheckDeps = {
  findMembership: GuardFinders['findMembership']
  /** Lets an answer to an invitation pass, or throws. */
  checkInvitation(answer: { invitationId: string; token: string; person: Person }): Promise<unknown>
  findOrganizationOfInvitation(invitationId: string): Promise<string | undefined>
}

/** What must hold before the sign-in handler sees a request. Throws, or answers the body to hand on. */
export function createAuthChecks({ findMembership, checkInvitation, findOrganizationOfInvitation }: AuthCheckDeps) {
  const orgAdmin = async (person: Person, body: Body) => {
    const invitation = body['invitationId']
    const orgId =
      typeof invitation === 'string' ? await findOrganizationOfInvitation(invitation) : body['organizationId']
    const membership = typeof orgId === 'string' ? await findMembership({ userId: person.id, orgId }) : undefined
    if (membership === undefined) throw fail('not_found')
    if (membership.role !== 'admin') throw fail('forbidden')
  }

  return async (check: NonNullable<AuthRoute['check']>, body: Body, session: Session | undefined): Promise<Body> => {
    if (session === undefined) throw fail('unauthenticated')
    const { person } = session
    if (check === 'orgAdmin') await orgAdmin(person, body)
    if (check === 'ownVerification') requireOwn(String(body['token']), person)
    if (check !== 'invitation') return body

    const invitationId = String(body['invitationId'])
    await checkInvitation({ invitationId, token: String(body['token']), person })
    return { invitationId }
  }
}

/**
 * A mailed verification counts only for the person who is signed in with that address: otherwise somebody could sign up
 * with a stranger's address and wait until the stranger clicks.
 */
function requireOwn(token: string, person: Person): void {
  let claimed: unknown
  try {
    claimed = decodeJwt(token)['email']
  } catch {
    return // not a token at all: the handler says so
  }
  if (claimed !== person.email.toLowerCase())
    throw fail('forbidden', undefined, { message: 'Sign in with the address that this link was sent to.' })
}
