import { sql, type Kysely } from 'kysely'

const statements = [
  // As a change of the whole account, which may come at the same time: several sessions are locked in one order.
  `create or replace function note_credential_change(person text) returns void language plpgsql as $$
    begin
      perform 1 from session where "userId" = person order by id for update;
      perform 1 from "user" where id = person for update;
      update "user" set credentials_xid = pg_current_xact_id() where id = person;
    end $$`,
  // A first password is a new row. Its foreign key would lock the person before the trigger that ends the sessions
  // locks those.
  `create function lock_owner_of_password() returns trigger language plpgsql as $$
    begin
      perform 1 from session where "userId" = new."userId" order by id for update;
      perform 1 from "user" where id = new."userId" for update;
      return new;
    end $$`,
  `create trigger account_first_password_locks_owner before insert on account
    for each row when (new.password is not null) execute function lock_owner_of_password()`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
