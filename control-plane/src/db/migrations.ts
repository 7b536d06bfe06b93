import type { Migration } from 'kysely/migration'

/** Every migration in order, by name. Append only: what has landed is never edited. */
export const migrations: Record<string, Migration> = {}
