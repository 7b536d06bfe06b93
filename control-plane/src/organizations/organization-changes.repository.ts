import type { Role } from '@svc/shared/wire/assertions.ts'
import type { Db } from '../db/database.ts'
import type { RecordEntry } from './record-entry.ts'

/** Changes of an organization, each with its entry in the audit. Undefined where there is nothing to change. */
export function organizationChangesRepository(db: Db) {
  const recorded = <Row>(
    record: RecordEntry,
    change: (trx: Db) => Promise<Row | undefined>,
  ): Promise<Row | undefined> =>
    db.transaction().execute(async (trx) => {
      const row = await change(trx)
      if (row !== undefined) await record(trx)
      return row
    })
  const memberIn = ['id', 'organizationId', 'userId', 'role', 'createdAt'] as const

  return {
    rename: ({ orgId, name }: { orgId: string; name: string }, record: RecordEntry) =>
      recorded(record, (trx) =>
        trx
          .updateTable('organization')
          .set({ name })
          .where('id', '=', orgId)
          .returning(['id', 'name', 'slug', 'logo', 'metadata', 'createdAt', 'daemon_mode as daemonMode'])
          .executeTakeFirst(),
      ),

    /** Removes the member of an id or an address. */
    removeMember: ({ orgId, memberIdOrEmail }: { orgId: string; memberIdOrEmail: string }, record: RecordEntry) =>
      recorded(record, (trx) =>
        trx
          .deleteFrom('member')
          .where('organizationId', '=', orgId)
          .where(({ eb, or, selectFrom }) =>
            or([
              eb('id', '=', memberIdOrEmail),
              eb('userId', 'in', selectFrom('user').select('id').where('email', '=', memberIdOrEmail.toLowerCase())),
            ]),
          )
          .returning(memberIn)
          .executeTakeFirst(),
      ),

    setRole: ({ orgId, memberId, role }: { orgId: string; memberId: string; role: Role }, record: RecordEntry) =>
      recorded(record, (trx) =>
        trx
          .updateTable('member')
          .set({ role })
          .where('organizationId', '=', orgId)
          .where('id', '=', memberId)
          .returning(memberIn)
          .executeTakeFirst(),
      ),

    /** Ends an invitation that nobody has answered. */
    endInvitation: (
      { invitationId, status }: { invitationId: string; status: 'canceled' | 'rejected' },
      record: RecordEntry,
    ) =>
      recorded(record, (trx) =>
        trx
          .updateTable('invitation')
          .set({ status })
          .where('id', '=', invitationId)
          .where('status', '=', 'pending')
          .returningAll()
          .executeTakeFirst(),
      ),
  }
}
