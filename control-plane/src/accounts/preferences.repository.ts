import type { Theme } from '@svc/shared/wire/themes.ts'
import { compileOnce, type SlotOf } from '../db/compile-once.ts'
import type { Db } from '../db/database.ts'

/** People's settings for how pages look. */
export function preferencesRepository(db: Db) {
  const readTheme = compileOnce(db, (slot: SlotOf<{ userId: string }>) =>
    db.selectFrom('preferences').select('theme').where('user_id', '=', slot('userId')),
  )

  return {
    findTheme: async (userId: string): Promise<Theme> => {
      const [row] = await readTheme({ userId })
      return row?.theme ?? 'system'
    },

    updateTheme: async (userId: string, theme: Theme): Promise<void> => {
      await db
        .insertInto('preferences')
        .values({ user_id: userId, theme })
        .onConflict((row) => row.column('user_id').doUpdateSet({ theme }))
        .execute()
    },
  }
}

export type PreferencesRepository = ReturnType<typeof preferencesRepository>
