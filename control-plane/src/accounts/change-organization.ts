import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import { requireFresh, type Session } from '../http/guards.ts'

export type ChangeDeps = {
  db: Db
  operatorOrg: string | undefined
  clock: Clock
  /** Whether this person signs in with a second factor; undefined where system admins need none. */
  hasTwoFactor: ((userId: string) => Promise<boolean>) | undefined
  /** Appends to a chain of the audit, in the caller's transaction. */
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
  /** The person behind the id of a membership or an address. */
  findMember(orgId: string, memberIdOrEmail: string): Promise<{ userId: string } | undefined>
}

/** Audits a change in the transaction that makes it. `subject` is what the request could not name: what was created. */
export type RecordChange = (trx: Db, subject?: string) => Promise<void>

type Change = { event: string; orgId: string; session: Session; body: Record<string, unknown> }
/** `make` makes the change with its entry in the audit. Its answer tells whether the change was made. */
export type ChangeOrganization = <Answer extends { ok: boolean }>(
  change: Change,
  make: (record: RecordChange) => Promise<Answer>,
) => Promise<Answer>

/**
 * Runs a change of name, members, roles or invitations, which is audited on the organization's chain: neither exists
 * without the other, also after a crash. In the organization of the system admins it requires a recent sign-in, and the
 * platform's chain also tells what was only attempted: it has one entry before the change, and one with its outcome.
 */
export function createChangeOrganization(deps: ChangeDeps): ChangeOrganization {
  const { db, operatorOrg, clock, hasTwoFactor, recordAudit, findMember } = deps
  const subjectOf = async ({ orgId, body }: Change): Promise<string | undefined> => {
    if (typeof body['invitationId'] === 'string') return body['invitationId']
    const member = body['memberId'] ?? body['memberIdOrEmail']
    return typeof member === 'string' ? (await findMember(orgId, member))?.userId : undefined
  }

  return async (request, make) => {
    const { event, orgId, session, body } = request
    const isOperator = orgId === operatorOrg
    if (isOperator) {
      requireFresh(session, clock)
      if (hasTwoFactor !== undefined && !(await hasTwoFactor(session.person.id))) throw fail('second_factor_required')
    }

    const subject = await subjectOf(request)
    const role = body['role'] as Role | undefined
    const record = (trx: Db, outcome: string, about = subject) =>
      recordAudit(trx, isOperator ? 'platform' : orgId, {
        event: `${isOperator ? 'system_admins' : 'organization'}.${event}`,
        actor: { kind: 'user', id: session.person.id },
        orgId,
        outcome,
        ...(role === undefined ? {} : { role }),
        ...(about === undefined ? {} : { subject: about }),
      })
    const recordDone: RecordChange = (trx, about) => record(trx, 'done', about)
    if (!isOperator) return make(recordDone)

    await record(db, 'requested')
    try {
      const answered = await make(recordDone)
      if (!answered.ok) await record(db, 'refused')
      return answered
    } catch (error) {
      await record(db, 'refused')
      throw error
    }
  }
}
