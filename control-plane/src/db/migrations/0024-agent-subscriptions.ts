import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Files that a session of an MCP client follows, from the position `since` in the changes of the vault.
  await sql
    .raw(
      `create table agent_subscriptions (session_id text not null, uri text not null, since text not null,
        made_at timestamptz not null, expires_at timestamptz not null, primary key (session_id, uri))`,
    )
    .execute(db)
}
