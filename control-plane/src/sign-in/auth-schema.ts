import { getMigrations } from 'better-auth/db/migration'
import type { BetterAuthOptions } from 'better-auth'

/** What the sign-in library would add to the schema by its own migrations; on a complete one, nothing. */
export async function missingAuthSchema(options: BetterAuthOptions): Promise<string[]> {
  const { toBeCreated, toBeAdded } = await getMigrations(options)
  return [...toBeCreated, ...toBeAdded].flatMap(({ table, fields }) =>
    Object.keys(fields).map((field) => `${table}.${field}`),
  )
}
