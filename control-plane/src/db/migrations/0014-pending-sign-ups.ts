import { sql, type Kysely } from 'kysely'

const statements = [
  // Sign-ups whose address is not confirmed. There is no account yet, so nobody can sign in. One address may have
  // several.
  `create table pending_sign_ups (link_hash text primary key, browser_hash text not null, email text not null,
    name text not null, password_hash text not null, next text not null, created_at timestamptz not null,
    expires_at timestamptz not null)`,
  `create index pending_sign_ups_email on pending_sign_ups (email)`,
  `create index pending_sign_ups_expiry on pending_sign_ups (expires_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
