import { sql, type Kysely } from 'kysely'

/** Keeps what the cluster said of a failure. Replicas of the release before do not write the column, and ignore it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operations add column failure_message text`.execute(db)
}
