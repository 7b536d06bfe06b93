import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { Mail } from './mail.ts'

const SHOWN = 50
/** More than are shown: the log refers to mails, and a person may look for one in the database. */
const KEPT = 1_000

/** Mails that are not sent, and who may look at them. */
export function outboxRepository(db: Db, clock: Clock) {
  return {
    /** Stores a mail; the oldest ones beyond `KEPT` are deleted. */
    insert: async ({ to, template, subject, text, link }: Mail): Promise<void> => {
      const { id } = await db
        .insertInto('outbox')
        .values({ recipient: to, template, subject, body: text, link, created_at: clock.now() })
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .deleteFrom('outbox')
        .where('id', '<=', Number(id) - KEPT)
        .execute()
    },

    /** Newest first. */
    list: () => db.selectFrom('outbox').selectAll().orderBy('id', 'desc').limit(SHOWN).execute(),

    insertAccess: async (access: { kind: 'link' | 'browser'; secretHash: string; expiresAt: Date }): Promise<void> => {
      await db.deleteFrom('outbox_access').where('expires_at', '<=', clock.now()).execute()
      await db
        .insertInto('outbox_access')
        .values({ kind: access.kind, secret_hash: access.secretHash, expires_at: access.expiresAt })
        .execute()
    },

    /** Consumes a link; false when it was used before, is unknown or has expired. */
    consumeLink: async (secretHash: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom('outbox_access')
        .where('kind', '=', 'link')
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst()
      return numDeletedRows === 1n
    },

    findBrowser: (secretHash: string) =>
      db
        .selectFrom('outbox_access')
        .select('expires_at')
        .where('kind', '=', 'browser')
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst(),
  }
}

export type OutboxRepository = ReturnType<typeof outboxRepository>
