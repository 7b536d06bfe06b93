import { sql, type Kysely } from 'kysely'

const statements = [
  // A new token locks its session, then its person, then its refresh token. Foreign keys alone lock in the order in which
  // they were made, and a restore of a dump makes them in the order of their names.
  `create function lock_owner_of_token() returns trigger language plpgsql as $$
    begin
      perform 1 from session where id = new."sessionId" for key share;
      perform 1 from "user" where id = new."userId" for key share;
      return new;
    end $$`,
  `create trigger access_token_locks_owner before insert on "oauthAccessToken"
    for each row execute function lock_owner_of_token()`,
  `create trigger refresh_token_locks_owner before insert on "oauthRefreshToken"
    for each row execute function lock_owner_of_token()`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
