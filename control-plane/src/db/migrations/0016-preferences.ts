import { sql, type Kysely } from 'kysely'

/** How a person wants pages to look, in the app and in every vault. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table preferences (user_id text primary key references "user" (id) on delete cascade,
    theme text not null check (theme in ('system', 'light', 'dark')))`.execute(db)
}
