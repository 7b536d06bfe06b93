import { sql, type Kysely } from 'kysely'

const statements = [
  // The transaction that last changed a credential of the person. A sign-in that began before this transaction became
  // visible has proved the old credential, whatever kind of sign-in it is.
  `alter table "user" add column credentials_xid xid8`,

  // Take the lock first. A session that is being created holds a share lock on the row of its person. Either the
  // session already exists and is deleted, or it waits for this transaction and the sign-in itself detects the change.
  `create function note_credential_change(person text) returns void language plpgsql as $$
    begin
      perform 1 from "user" where id = person for update;
      update "user" set credentials_xid = pg_current_xact_id() where id = person;
    end $$`,
  `create or replace function end_credentials() returns trigger language plpgsql as $$
    begin
      perform note_credential_change(new."userId");
      perform end_mailed_links(u.id, u.email) from "user" u where u.id = new."userId";
      delete from session where "userId" = new."userId";
      return null;
    end $$`,
  `create or replace function end_credentials_of_address() returns trigger language plpgsql as $$
    begin
      perform end_mailed_links(old.id, old.email);
      if tg_op = 'UPDATE' then
        perform note_credential_change(new.id);
        perform end_mailed_links(new.id, new.email);
        delete from session where "userId" = new.id;
      end if;
      return null;
    end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
