import { sql, type Kysely } from 'kysely'

/**
 * Which operation a problem is of, because only a success of the same one ends it. Replicas of the release before do not
 * write the column: the next success of either operation ends what they record.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table backup_states add column problem_of text check (problem_of in ('backup', 'drill'))`.execute(db)
}
