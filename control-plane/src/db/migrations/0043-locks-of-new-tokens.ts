import { sql, type Kysely } from 'kysely'

const statements = [
  // First the sessions, then the person: a new token of a program locks them in that order. Otherwise the two could wait
  // for each other, and the program would lose its tokens.
  `create or replace function note_credential_change(person text) returns void language plpgsql as $$
    begin
      perform 1 from session where "userId" = person for update;
      perform 1 from "user" where id = person for update;
      update "user" set credentials_xid = pg_current_xact_id() where id = person;
    end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
