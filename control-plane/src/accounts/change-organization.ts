import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { requireFresh, type Session } from '../http/guards.ts'

export type ChangeDeps = {
  operatorOrg: string | undefined
  clock: Clock
  /** Whether this person signs in with a second factor; undefined where system admins need none. */
  hasTwoFactor: ((userId: string) => Promise<boolean>) | undefined
  /** Appends to a chain of the audit. */
  recordAudit(chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
  /** The person behind the id of a membership or an address. */
  findMember(orgId: string, memberIdOrEmail: string): Promise<{ userId: string } | undefined>
}

type Change = { event: string; orgId: string; session: Session; body: Record<string, unknown> }
/** `call` makes the change. Its answer tells whether the change was made. */
export type ChangeOrganization = <Answer extends { ok: boolean }>(
  change: Change,
  call: () => Promise<Answer>,
) => Promise<Answer>

/**
 * Runs a change of name, members, roles or invitations, and audits it on the organization's chain. In the organization
 * of the system admins it requires a recent sign-in and writes two entries on the platform's chain: one before the
 * change, so that a crash cannot lose it, and one with its outcome.
 */
export function createChangeOrganization({ operatorOrg, clock, hasTwoFactor, recordAudit, findMember }: ChangeDeps) {
  const subjectOf = async ({ orgId, body }: Change): Promise<string | undefined> => {
    if (typeof body['invitationId'] === 'string') return body['invitationId']
    const member = body['memberId'] ?? body['memberIdOrEmail']
    return typeof member === 'string' ? (await findMember(orgId, member))?.userId : undefined
  }

  const change: ChangeOrganization = async (request, call) => {
    const { event, orgId, session, body } = request
    const isOperator = orgId === operatorOrg
    if (isOperator) {
      requireFresh(session, clock)
      if (hasTwoFactor !== undefined && !(await hasTwoFactor(session.person.id))) throw fail('second_factor_required')
    }

    const subject = await subjectOf(request)
    const role = body['role'] as Role | undefined
    const record = (outcome: string, about = subject) =>
      recordAudit(isOperator ? 'platform' : orgId, {
        event: `${isOperator ? 'system_admins' : 'organization'}.${event}`,
        actor: { kind: 'user', id: session.person.id },
        orgId,
        outcome,
        ...(role === undefined ? {} : { role }),
        ...(about === undefined ? {} : { subject: about }),
      })
    if (!isOperator) {
      const answered = await call()
      if (answered.ok) await record('done', subject ?? (await madeId(answered)))
      return answered
    }

    await record('requested')
    try {
      const answered = await call()
      await record(answered.ok ? 'done' : 'refused', subject ?? (await madeId(answered)))
      return answered
    } catch (error) {
      await record('refused')
      throw error
    }
  }
  return change
}

/** The id of what was created, such as an invitation. */
async function madeId(answered: unknown): Promise<string | undefined> {
  if (!(answered instanceof Response)) return undefined
  const body = (await answered
    .clone()
    .json()
    .catch(() => undefined)) as { id?: unknown } | undefined
  return typeof body?.id === 'string' ? body.id : undefined
}
