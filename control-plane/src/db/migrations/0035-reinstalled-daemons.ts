import { sql, type Kysely } from 'kysely'

/** An index for the question whether a daemon was reinstalled and not restored since: an organization has few of these. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index lifecycle_events_restores on lifecycle_events (org_id, id)
    where kind in ('reinstall_started', 'restored', 'backed_up')`.execute(db)
}
