import { sql, type Kysely } from 'kysely'

const statements = [
  `create table rollouts (rollout_id text primary key, operation_id text not null unique, image text not null,
    reason text not null, actor_kind text not null, actor_id text not null, settings text not null,
    state text not null check (state in ('running', 'paused', 'stopped', 'aborted', 'succeeded')), state_reason text,
    current_wave integer not null default 0, soak_until timestamptz,
    failure_budget integer not null, failures_borne integer not null default 0,
    created_at timestamptz not null, updated_at timestamptz not null, finished_at timestamptz)`,
  // Two concurrent rollouts would roll the same daemons back and forth.
  `create unique index rollouts_one_open on rollouts ((true)) where state in ('running', 'paused', 'stopped')`,
  `create table rollout_members (rollout_id text not null references rollouts, org_id text not null,
    wave integer not null, operation_id text not null unique,
    state text not null check (state in
      ('pending', 'rolling', 'succeeded', 'failed', 'stalled', 'deferred', 'skipped')),
    reason text, began_at timestamptz, updated_at timestamptz not null, primary key (rollout_id, org_id))`,
  `create index rollout_members_by_state on rollout_members (rollout_id, wave, state)`,
  `create index rollout_members_unfinished on rollout_members (org_id)
    where state in ('pending', 'rolling', 'stalled', 'deferred')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
