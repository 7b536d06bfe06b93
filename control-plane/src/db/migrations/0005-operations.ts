import { sql, type Kysely } from 'kysely'

// Audited operations, the claims to execute them, and what their effects leave in this database.
const operations = [
  // Epochs only grow, even after a claim is released. An older executor is fenced off by comparing epochs.
  `create sequence operation_epochs`,
  `create table operations (
    operation_id text primary key check (operation_id ~ '^[A-Za-z0-9._:-]{8,128}$'),
    org_id text not null,
    action text not null,
    actor_kind text not null,
    actor_id text not null,
    reason text not null,
    input text not null,
    state text not null check (state in ('requested', 'executing', 'retryable', 'succeeded', 'failed')),
    epoch bigint,
    attempts integer not null default 0,
    answer text,
    failure_code text,
    failure_reason text,
    requested_at timestamptz not null,
    updated_at timestamptz not null,
    finished_at timestamptz,
    check ((state = 'succeeded') = (answer is not null)),
    check ((state in ('succeeded', 'failed')) = (finished_at is not null)),
    check (state in ('failed', 'retryable') or failure_code is null)
  )`,
  `create unique index operations_one_active on operations (org_id) where state in ('requested', 'executing')`,
  `create index operations_by_organization on operations (org_id, requested_at desc, operation_id desc)`,
  `create table operation_claims (
    org_id text primary key,
    operation_id text not null unique references operations,
    action text not null,
    owner text not null unique,
    executor text not null,
    epoch bigint not null unique,
    claimed_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create table entitlements (
    org_id text primary key,
    kind text not null check (kind in ('comped', 'paid')),
    operation_id text not null,
    granted_at timestamptz not null,
    lease_installed_at timestamptz
  )`,
  `create table organization_tombstones (
    org_id text primary key,
    operation_id text not null,
    daemon_uid text,
    created_at timestamptz not null
  )`,
  `create table lifecycle_events (
    id bigint generated always as identity primary key,
    org_id text not null,
    kind text not null,
    at timestamptz not null,
    operation_id text,
    observed_state text,
    image text,
    reason text
  )`,
  `create unique index lifecycle_events_once on lifecycle_events (operation_id, kind) where operation_id is not null`,
  `create index lifecycle_events_by_organization on lifecycle_events (org_id, id desc)`,
  `create table billing_reservations (
    reservation_id text primary key,
    org_id text not null,
    amount_minor bigint not null check (amount_minor > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    state text not null check (state in ('held', 'captured', 'released')),
    created_at timestamptz not null,
    settled_at timestamptz
  )`,
  `create index billing_reservations_by_organization on billing_reservations (org_id)`,
  `create table billing_payments (
    payment_id text primary key,
    org_id text not null,
    reservation_id text unique references billing_reservations,
    amount_minor bigint not null check (amount_minor > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    paid_at timestamptz not null
  )`,
  `create index billing_payments_by_organization on billing_payments (org_id)`,
]

// The audit. A trigger links each row when it is inserted, so the writer cannot choose number, link or hash.
const audit = [
  `create table audit_entries (
    chain text not null,
    seq bigint not null,
    record text not null,
    previous_hash text not null,
    hash text not null,
    primary key (chain, seq)
  )`,
  `create table audit_checkpoints (
    chain text not null,
    seq bigint not null,
    hash text not null,
    at text not null,
    key_id text not null,
    signature text not null,
    primary key (chain, seq)
  )`,
  `create table audit_retentions (
    chain text not null,
    through_seq bigint not null,
    through_hash text not null,
    at text not null,
    key_id text not null,
    signature text not null,
    primary key (chain, through_seq)
  )`,
  `create function audit_link() returns trigger language plpgsql security definer set search_path from current as $$
  declare
    last record;
  begin
    perform pg_advisory_xact_lock(hashtextextended('svc-audit:' || new.chain, 0));
    select seq, hash into last from audit_entries where chain = new.chain order by seq desc limit 1;
    if not found then
      select through_seq as seq, through_hash as hash into last
        from audit_retentions where chain = new.chain order by through_seq desc limit 1;
    end if;
    new.seq := coalesce(last.seq, 0) + 1;
    new.previous_hash := coalesce(last.hash, repeat('0', 64));
    new.hash := encode(sha256(convert_to(
      concat_ws(E'\\n', new.chain, new.seq, new.previous_hash, new.record), 'UTF8')), 'hex');
    return new;
  end $$`,
  `create trigger audit_entries_link before insert on audit_entries for each row execute function audit_link()`,
  `create function audit_refuse() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit is append-only: % of % is refused', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end $$`,
  // A row can be deleted only together with the prefix for which a signed retention row already stands.
  `create function audit_refuse_delete() returns trigger language plpgsql security definer
    set search_path from current as $$
  begin
    if exists (select from audit_retentions where chain = old.chain and through_seq >= old.seq) then
      return old;
    end if;
    raise exception 'the audit is append-only: % of % is refused', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end $$`,
  `create trigger audit_entries_delete before delete on audit_entries
    for each row execute function audit_refuse_delete()`,
  ...['audit_entries', 'audit_checkpoints', 'audit_retentions'].flatMap((table) => [
    `create trigger ${table}_update before update on ${table} for each row execute function audit_refuse()`,
    `create trigger ${table}_truncate before truncate on ${table} for each statement execute function audit_refuse()`,
    `revoke update, delete, truncate on ${table} from public`,
  ]),
  ...['audit_checkpoints', 'audit_retentions'].map(
    (table) => `create trigger ${table}_delete before delete on ${table} for each row execute function audit_refuse()`,
  ),
  // The only way to delete for an application role without that right. It deletes no more than retention rows cover.
  `create function audit_prune(pruned_chain text) returns bigint language plpgsql security definer
    set search_path from current as $$
  declare
    removed bigint;
  begin
    delete from audit_entries where chain = pruned_chain
      and seq <= (select max(through_seq) from audit_retentions where chain = pruned_chain);
    get diagnostics removed = row_count;
    return removed;
  end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...operations, ...audit]) await sql.raw(statement).execute(db)
}
