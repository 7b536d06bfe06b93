import { sql, type Kysely } from 'kysely'

/** Hash of a link that an admin copied. Unlike the mailed secret it proves no address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table invitation_secrets add column link_hash text`.execute(db)
}
