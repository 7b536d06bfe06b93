import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { SigningKeyTable } from '../db/tables/entry.tables.ts'

type NewKey = Pick<SigningKeyTable, 'kid' | 'use' | 'public_x' | 'sealed_private'>

export type SealedKey = Pick<SigningKeyTable, 'kid' | 'sealed_private'>

/** Signing keys: one current key for each use, and retired keys that still verify for a while. */
export function signingKeysRepository(db: Db, clock: Pick<Clock, 'now'>) {
  const signing = () =>
    db
      .selectFrom('signing_keys')
      .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', clock.now())]))
  /** The newest key of a use, which may not sign yet. */
  const newest = (use: SigningKeyTable['use']) =>
    db.updateTable('signing_keys').where('use', '=', use).where('retired_at', 'is', null)

  return {
    /** The key that signs: the oldest that is not retired. Its successor is published before it signs. */
    findCurrent: (use: SigningKeyTable['use']) =>
      signing().selectAll().where('use', '=', use).orderBy('created_at').limit(1).executeTakeFirst(),

    /** Stores a key unless another replica was first; the caller then reads the current one. */
    insertCurrent: (key: NewKey) =>
      db
        .insertInto('signing_keys')
        .values({ ...key, created_at: clock.now(), retired_at: null })
        .onConflict((row) => row.doNothing())
        .execute(),

    /** Lets the newest key sign until a time. */
    retireAt: async (use: SigningKeyTable['use'], at: Date): Promise<void> => {
      await newest(use).set({ retired_at: at }).execute()
    },

    /**
     * Lets the newest key sign until a time, if it was created before another time. False if it is newer, or another
     * replica was first.
     */
    retireOlderAt: async (
      use: SigningKeyTable['use'],
      { before, at }: { before: Date; at: Date },
    ): Promise<boolean> => {
      const rows = await newest(use).set({ retired_at: at }).where('created_at', '<', before).returning('kid').execute()
      return rows.length > 0
    },

    /** Retires keys that still sign, as of an earlier time: they neither sign nor verify any more. */
    withdraw: async (use: SigningKeyTable['use'], at: Date): Promise<void> => {
      await db
        .updateTable('signing_keys')
        .set({ retired_at: at })
        .where('use', '=', use)
        .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', at)]))
        .execute()
    },

    /** Every key in use, sealed. */
    listCurrent: (): Promise<SealedKey[]> => signing().select(['kid', 'sealed_private']).execute(),

    /** Replaces the sealed text unless another replica did. */
    updateSealed: async ({ kid, sealed_private }: SealedKey, sealed: Buffer): Promise<void> => {
      await db
        .updateTable('signing_keys')
        .set({ sealed_private: sealed })
        .where('kid', '=', kid)
        .where('sealed_private', '=', sealed_private)
        .execute()
    },

    /** Keys that sign now or later, or did after that time. */
    listUsedSince: (at: Date) =>
      db
        .selectFrom('signing_keys')
        .select(['kid', 'use', 'public_x', 'created_at', 'retired_at'])
        .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', at)]))
        .orderBy('created_at')
        .execute(),
  }
}
