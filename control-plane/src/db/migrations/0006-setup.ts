import { sql, type Kysely } from 'kysely'

/** The setup link, and an organization of the system admins, which has no daemon. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table setup_links (
      token_hash text primary key,
      created_at timestamptz not null
    )`.execute(db)
  await sql`alter table organization alter column daemon_mode drop not null`.execute(db)
}
