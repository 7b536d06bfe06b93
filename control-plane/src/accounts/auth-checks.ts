import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { requireFresh, type GuardFinders, type Person, type Session } from '../http/guards.ts'
import { adminChecks, type AdminCheck, type AuthCheck } from '../sign-in/auth-route.ts'
import type { RecordChange } from './change-organization.ts'
import type { MailedVerification } from './mailed-verification.ts'

type Body = Record<string, unknown>
export type AuthCheckDeps = {
  findMembership: GuardFinders['findMembership']
  /** Resolves when the person may answer this invitation, throws otherwise. */
  checkInvitation(answer: { invitationId: string; token: string; person: Person }): Promise<{ orgId: string }>
  /** Makes the person a member with the role of an invitation that they may answer. */
  acceptInvitation(acceptance: { invitationId: string; person: Person }, record: RecordChange): Promise<object>
  /** Mails an invitation that was just made. */
  sendInvitation(
    invitation: { id: string; email: string; organizationName: string; inviter: Person },
    record: RecordChange,
  ): Promise<void>
  findOrganizationOfInvitation(invitationId: string): Promise<string | undefined>
  /** Changes of an organization. Undefined where there is nothing to change. */
  organizationChanges: {
    rename(change: { orgId: string; name: string }, record: RecordChange): Promise<object | undefined>
    removeMember(change: { orgId: string; memberIdOrEmail: string }, record: RecordChange): Promise<object | undefined>
    setRole(change: { orgId: string; memberId: string; role: Role }, record: RecordChange): Promise<object | undefined>
    endInvitation(
      change: { invitationId: string; status: 'canceled' | 'rejected' },
      record: RecordChange,
    ): Promise<object | undefined>
  }
}
type Deps = AuthCheckDeps & {
  verification: MailedVerification
  /** Ends all sessions of the person but this one. */
  endOtherSessions(session: { id: string; userId: string }): Promise<void>
  clock: Pick<Clock, 'now'>
}

type Answering = { forward: () => Promise<Response>; record: RecordChange }
/**
 * What to forward: the body, and the organization that the request changes, if any. `answer` is ours and replaces the
 * sign-in handler's, or forwards the request itself.
 */
export type Checked = { body: Body; orgId?: string; answer?: (how: Answering) => Promise<Response> }

/** Finds the organization that a body names, itself or by one of its invitations; undefined if there is none. */
export async function organizationOf(
  body: Body,
  findOrganizationOfInvitation: AuthCheckDeps['findOrganizationOfInvitation'],
): Promise<string | undefined> {
  const { invitationId, organizationId } = body
  if (typeof invitationId === 'string') return findOrganizationOfInvitation(invitationId)
  return typeof organizationId === 'string' ? organizationId : undefined
}

const Invited = z.object({ id: z.string(), email: z.string() })

/** Checks a request before the sign-in handler sees it. Throws, or returns what to forward. */
export function createAuthChecks({ findMembership, checkInvitation, verification, ...deps }: Deps) {
  const { acceptInvitation, sendInvitation, findOrganizationOfInvitation, organizationChanges } = deps
  const { endOtherSessions, clock } = deps
  const member = async (person: Person, orgId: unknown) => {
    const membership = typeof orgId === 'string' ? await findMembership({ userId: person.id, orgId }) : undefined
    if (membership === undefined) throw fail('not_found')
    return membership
  }
  const orgAdmin = async (person: Person, body: Body) => {
    const { role, organization } = await member(person, await organizationOf(body, findOrganizationOfInvitation))
    if (role !== 'admin') throw fail('forbidden')
    return organization
  }

  // Until the address is confirmed, the account may belong to a stranger, who must not keep a way to sign in to it.
  const fresh = (session: Session): void => {
    requireFresh(session, clock)
    if (!session.person.emailVerified)
      throw fail('forbidden', undefined, { message: 'Confirm your e-mail address first.' })
  }

  /** What an admin changes. Only the rules of invitations are the handler's. */
  const adminChange = async (check: AdminCheck, body: Body, person: Person): Promise<Checked> => {
    const { id: orgId, name: organizationName } = await orgAdmin(person, body)
    const answers: Record<AdminCheck, Checked['answer']> = {
      renaming: async ({ record }) => {
        const { name } = body['data'] as { name: string }
        return Response.json(found(await organizationChanges.rename({ orgId, name }, record)))
      },
      invitation: async ({ forward, record }) => {
        const answered = await forward()
        if (!answered.ok) return answered
        // The handler's own hook for this hides that the mail could not be prepared.
        const invited = Invited.parse(await answered.clone().json())
        await sendInvitation({ ...invited, organizationName, inviter: person }, record)
        return answered
      },
      cancellation: async ({ record }) => {
        const ended = { invitationId: String(body['invitationId']), status: 'canceled' } as const
        return Response.json(valid(await organizationChanges.endInvitation(ended, record)))
      },
      removal: async ({ record }) => {
        const memberIdOrEmail = String(body['memberIdOrEmail'])
        const removed = await organizationChanges.removeMember({ orgId, memberIdOrEmail }, record)
        return Response.json({ member: found(removed) })
      },
      roleChange: async ({ record }) => {
        const { memberId, role } = body as { memberId: string; role: Role }
        return Response.json(found(await organizationChanges.setRole({ orgId, memberId, role }, record)))
      },
    }
    return { body, orgId, answer: answers[check] }
  }

  return async (check: AuthCheck, body: Body, session: Session): Promise<Checked> => {
    const { person } = session
    if (check === 'fresh') fresh(session)
    if (isAdminCheck(check)) return adminChange(check, body, person)
    if (check === 'leaving') {
      const { organization, memberId } = await member(person, body['organizationId'])
      const orgId = organization.id
      const answer = async ({ record }: Answering) =>
        Response.json(found(await organizationChanges.removeMember({ orgId, memberIdOrEmail: memberId }, record)))
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
    if (check === 'ownVerification')
      return { body: { token: await verification.redeem(String(body['token']), person) } }
    if (check !== 'acceptance' && check !== 'rejection') return { body }

    const invitationId = String(body['invitationId'])
    const { orgId } = await checkInvitation({ invitationId, token: String(body['token']), person })
    const answer = async ({ record }: Answering) => {
      if (check === 'acceptance') return Response.json(await acceptInvitation({ invitationId, person }, record))
      const rejected = await organizationChanges.endInvitation({ invitationId, status: 'rejected' }, record)
      return Response.json({ invitation: valid(rejected), member: null })
    }
    return { body: { invitationId }, orgId, answer }
  }
}

const isAdminCheck = (check: AuthCheck): check is AdminCheck => (adminChecks as readonly AuthCheck[]).includes(check)

function found<T>(row: T | undefined): T {
  if (row === undefined) throw fail('not_found')
  return row
}

function valid<T>(invitation: T | undefined): T {
  if (invitation === undefined) throw fail('invitation_invalid')
  return invitation
}
