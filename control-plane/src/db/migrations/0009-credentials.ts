import { sql, type Kysely } from 'kysely'

const statements = [
  // Mailed links that confirm an address. Only hashes are stored, each for one person and the address at that time.
  // There is no foreign key, because the sign-in library sends the mail within the transaction that creates the person.
  `create table mailed_verifications (secret_hash text primary key, user_id text not null, email text not null,
    expires_at timestamptz not null)`,
  `create index mailed_verifications_user on mailed_verifications (user_id)`,
  `create index mailed_verifications_expiry on mailed_verifications (expires_at)`,

  // The person whom a one-time value of the sign-in library is for. The value of a reset link is the id of a person;
  // the value of a sign-in link contains an address. Other values, such as the state of a sign-in elsewhere, match
  // nobody.
  `create function mailed_link_subject(value text) returns text immutable language sql as $$
    select case when value like '{"type":"magic-link",%' then lower(value::jsonb ->> 'email') else value end $$`,
  `create index verification_subject on verification (md5(mailed_link_subject(value)))`,
  `create function end_mailed_links(person text, address text) returns void language sql as $$
    delete from verification where md5(mailed_link_subject(value)) in (md5(person), md5(lower(address)));
    delete from mailed_verifications where user_id = person $$`,

  // A trigger, so that no way to change a credential can forget the rule and the rule holds from the same commit on.
  // Entries end with their sign-in session. The sign-in library afterwards creates a new session for the person who
  // made the change.
  `create function end_credentials() returns trigger language plpgsql as $$
    begin
      perform end_mailed_links(u.id, u.email) from "user" u where u.id = new."userId";
      delete from session where "userId" = new."userId";
      return null;
    end $$`,
  `create trigger account_first_password after insert on account
    for each row when (new.password is not null) execute function end_credentials()`,
  `create trigger account_new_password after update of password on account
    for each row when (new.password is distinct from old.password) execute function end_credentials()`,
  `create function end_credentials_of_address() returns trigger language plpgsql as $$
    begin
      perform end_mailed_links(old.id, old.email);
      if tg_op = 'UPDATE' then
        perform end_mailed_links(new.id, new.email);
        delete from session where "userId" = new.id;
      end if;
      return null;
    end $$`,
  `create trigger user_new_address after update of email on "user"
    for each row when (new.email is distinct from old.email) execute function end_credentials_of_address()`,
  `create trigger user_deleted after delete on "user"
    for each row execute function end_credentials_of_address()`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
