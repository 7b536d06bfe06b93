import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A person can stop a program for a while without connecting it anew.
  await sql.raw(`alter table agent_grants add column paused_at timestamptz`).execute(db)
}
