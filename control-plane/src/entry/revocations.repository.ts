import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { Revocation } from './revocation.ts'

const columns = { user_session: 'session_id', user: 'user_id', organization: 'org_id' } as const

/** The numbered log of revocations for all replicas. */
export function revocationsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
    insert: ({ kind, subject }: Revocation) =>
      db.insertInto('revocations').values({ at: clock.now(), kind, subject }).execute(),

    /** Rows since a time, oldest first. */
    listSince: async (at: Date): Promise<(Revocation & { seq: number })[]> => {
      const rows = await db
        .selectFrom('revocations')
        .select(['seq', 'kind', 'subject'])
        .where('at', '>=', at)
        .orderBy('seq')
        .execute()
      return rows.map((row) => ({ ...row, kind: row.kind as Revocation['kind'] }))
    },

    /** Marks the entry sessions of a subject as ended. */
    endEntries: async ({ kind, subject }: Revocation): Promise<void> => {
      if (kind === 'daemon_keys' || kind === 'vault_origin' || kind === 'signing_keys') return
      const ended = db.updateTable('entry_sessions').set({ ended_at: clock.now() }).where('ended_at', 'is', null)
      await (
        kind === 'entry_session'
          ? ended.where('id_hash', '=', Buffer.from(subject, 'hex'))
          : ended.where(columns[kind], '=', subject)
      ).execute()
    },

    deleteBefore: (at: Date) => db.deleteFrom('revocations').where('at', '<', at).execute(),
  }
}
