import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { SigningKeyTable } from '../db/tables/entry.tables.ts'

type NewKey = Pick<SigningKeyTable, 'kid' | 'use' | 'public_x' | 'sealed_private'>

export type SealedKey = Pick<SigningKeyTable, 'kid' | 'sealed_private'>

/** Signing keys: one current key for each use, and retired keys that still verify for a while. */
export function signingKeysRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
    findCurrent: (use: SigningKeyTable['use']) =>
      db
        .selectFrom('signing_keys')
        .selectAll()
        .where('use', '=', use)
        .where('retired_at', 'is', null)
        .executeTakeFirst(),

    /** Stores a key unless another replica was first; the caller then reads the current one. */
    insertCurrent: (key: NewKey) =>
      db
        .insertInto('signing_keys')
        .values({ ...key, created_at: clock.now(), retired_at: null })
        .onConflict((row) => row.doNothing())
        .execute(),

    retireCurrent: (use: SigningKeyTable['use']) =>
      db
        .updateTable('signing_keys')
        .set({ retired_at: clock.now() })
        .where('use', '=', use)
        .where('retired_at', 'is', null)
        .execute(),

    /** Every key in use, sealed. */
    listCurrent: (): Promise<SealedKey[]> =>
      db.selectFrom('signing_keys').select(['kid', 'sealed_private']).where('retired_at', 'is', null).execute(),

    /** Replaces the sealed text unless another replica did. */
    updateSealed: async ({ kid, sealed_private }: SealedKey, sealed: Buffer): Promise<void> => {
      await db
        .updateTable('signing_keys')
        .set({ sealed_private: sealed })
        .where('kid', '=', kid)
        .where('sealed_private', '=', sealed_private)
        .execute()
    },

    /** Keys that are current now, or were at that time. */
    listUsedSince: (at: Date) =>
      db
        .selectFrom('signing_keys')
        .select(['kid', 'use', 'public_x'])
        .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', at)]))
        .orderBy('created_at')
        .execute(),
  }
}
