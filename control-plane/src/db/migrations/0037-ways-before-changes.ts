import { sql, type Kysely } from 'kysely'

/**
 * The ids of the passkeys, provider accounts and the authenticator app that a person had before a change of address.
 * The link that undoes the change keeps these and ends the others. Null for links from before this migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table email_changes add column ways_before text[]`.execute(db)
}
