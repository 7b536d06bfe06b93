import { getMigrations } from 'better-auth/db/migration'
import type { BetterAuthOptions } from 'better-auth'

/** What the sign-in library's own migrations would add to the schema; nothing on a complete one. */
export async function missingAuthSchema(options: BetterAuthOptions): Promise<string[]> {
  const { toBeCreated, toBeAdded } = await getMigrations(options)
  return [...toBeCreated, ...toBeAdded].flatMap(({ table, fields }) =>
    Object.keys(fields).map((field) => `${table}.${field}`),
  )
}
