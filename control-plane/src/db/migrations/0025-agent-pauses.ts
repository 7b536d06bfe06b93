import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A person can pause a program for a while without disconnecting it.
  await sql.raw(`alter table agent_grants add column paused_at timestamptz`).execute(db)
}
