import { sql, type Kysely } from 'kysely'

const statements = [
  // Audit entries name people by id only. When an account is deleted, its name stays here, and nothing else.
  `create table departed_people (id text primary key, name text not null, departed_at timestamptz not null)`,

  // Mailed links of a change of address: one to the new address confirms it, one to the old address undoes it.
  `create table email_changes (secret_hash text primary key, kind text not null check (kind in ('confirm', 'undo')),
    user_id text not null references "user" (id) on delete cascade, old_email text not null, new_email text not null,
    expires_at timestamptz not null)`,
  `create index email_changes_user on email_changes (user_id)`,

  // A confirming link ends with the other mailed links of the person. An undo link is for somebody whose account was
  // taken over, so no change of a credential ends it.
  `create or replace function end_mailed_links(person text, address text) returns void language sql as $$
    delete from verification where md5(mailed_link_subject(value)) in (md5(person), md5(lower(address)));
    delete from mailed_verifications where user_id = person;
    delete from email_changes where user_id = person and kind = 'confirm' $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
