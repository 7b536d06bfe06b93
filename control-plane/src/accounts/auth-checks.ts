import { fail } from '@svc/shared/wire/errors.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { requireFresh, type GuardFinders, type Person, type Session } from '../http/guards.ts'
import type { AuthCheck } from '../sign-in/auth-route.ts'
import type { MailedVerification } from './mailed-verification.ts'

type Body = Record<string, unknown>
export type AuthCheckDeps = {
  findMembership: GuardFinders['findMembership']
  /** Resolves when the person may answer this invitation, throws otherwise. */
  checkInvitation(answer: { invitationId: string; token: string; person: Person }): Promise<{ orgId: string }>
  /** Makes the person a member with the role of an invitation that they may answer. */
  acceptInvitation(acceptance: { invitationId: string; person: Person }): Promise<object>
  findOrganizationOfInvitation(invitationId: string): Promise<string | undefined>
  /** Removes a member of an organization; undefined if there is none of this id or address. */
  removeMember(removal: { orgId: string; memberIdOrEmail: string }): Promise<object | undefined>
}
type Deps = AuthCheckDeps & {
  verification: MailedVerification
  /** Ends all sessions of the person but this one. */
  endOtherSessions(session: { id: string; userId: string }): Promise<void>
  clock: Pick<Clock, 'now'>
}

/**
 * What to forward: the body, and the organization that the request changes, if any. `answer` is ours and replaces the
 * sign-in handler's.
 */
export type Checked = { body: Body; orgId?: string; answer?: () => Promise<Response> }

/** Finds the organization that a body names, itself or by one of its invitations; undefined if there is none. */
export async function organizationOf(
  body: Body,
  findOrganizationOfInvitation: AuthCheckDeps['findOrganizationOfInvitation'],
): Promise<string | undefined> {
  const { invitationId, organizationId } = body
  if (typeof invitationId === 'string') return findOrganizationOfInvitation(invitationId)
  return typeof organizationId === 'string' ? organizationId : undefined
}

/** Checks a request before the sign-in handler sees it. Throws, or returns what to forward. */
export function createAuthChecks({ findMembership, checkInvitation, verification, ...deps }: Deps) {
  const { acceptInvitation, findOrganizationOfInvitation, removeMember, endOtherSessions, clock } = deps
  const member = async (person: Person, orgId: unknown) => {
    const membership = typeof orgId === 'string' ? await findMembership({ userId: person.id, orgId }) : undefined
    if (membership === undefined) throw fail('not_found')
    return membership
  }
  const orgAdmin = async (person: Person, body: Body): Promise<string> => {
    const { role, organization } = await member(person, await organizationOf(body, findOrganizationOfInvitation))
    if (role !== 'admin') throw fail('forbidden')
    return organization.id
  }

  // Until the address is confirmed, the account may belong to a stranger, who must not keep a way to sign in to it.
  const fresh = (session: Session): void => {
    requireFresh(session, clock)
    if (!session.person.emailVerified)
      throw fail('forbidden', undefined, { message: 'Confirm your e-mail address first.' })
  }

  return async (check: AuthCheck, body: Body, session: Session): Promise<Checked> => {
    const { person } = session
    if (check === 'fresh') fresh(session)
    if (check === 'orgAdmin') return { body, orgId: await orgAdmin(person, body) }
    if (check === 'removal') {
      const orgId = await orgAdmin(person, body)
      // The handler reads all members to find the last admin, which the database does.
      const answer = async () => {
        const member = await removeMember({ orgId, memberIdOrEmail: String(body['memberIdOrEmail']) })
        if (member === undefined) throw fail('not_found')
        return Response.json({ member })
      }
      return { body, orgId, answer }
    }
    if (check === 'otherSessions') {
      // The handler ends them one by one, all at once.
      const answer = async () => {
        await endOtherSessions({ id: session.id, userId: person.id })
        return Response.json({ status: true })
      }
      return { body, answer }
    }
    if (check === 'member') return { body, orgId: (await member(person, body['organizationId'])).organization.id }
    if (check === 'ownVerification')
      return { body: { token: await verification.redeem(String(body['token']), person) } }
    if (check !== 'acceptance' && check !== 'rejection') return { body }

    const invitationId = String(body['invitationId'])
    const { orgId } = await checkInvitation({ invitationId, token: String(body['token']), person })
    if (check === 'rejection') return { body: { invitationId }, orgId }
    // The handler fails for a person whom the organization has admitted since.
    const answer = async () => Response.json(await acceptInvitation({ invitationId, person }))
    return { body: { invitationId }, orgId, answer }
  }
}
