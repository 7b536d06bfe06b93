import { sql, type Kysely } from 'kysely'

// Audit keys of earlier secrets. Each is signed by its successor, so that old checkpoints still verify.
const statements = [
  `create table audit_keys (key_id text not null, public_key text not null, endorsed_by text not null,
    signature text not null, primary key (key_id, endorsed_by))`,
  ...['update', 'delete'].map(
    (change) => `create trigger audit_keys_${change} before ${change} on audit_keys
      for each row execute function audit_refuse()`,
  ),
  `create trigger audit_keys_truncate before truncate on audit_keys
    for each statement execute function audit_refuse()`,
  `revoke update, delete, truncate on audit_keys from public`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
