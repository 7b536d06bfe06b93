import { sql, type Kysely } from 'kysely'

const statements = [
  `alter table member add constraint member_role check (role in ('admin', 'member'))`,
  `alter table member add constraint member_once unique ("organizationId", "userId")`,
  `alter table invitation add constraint invitation_role check (role in ('admin', 'member'))`,
  `alter table organization add constraint organization_daemon_mode
    check (daemon_mode in ('self_hosted', 'cloud_hosted'))`,

  // The lock serializes two admins who step down at the same time. The second one then sees that no admin would be
  // left.
  `create function keep_last_admin() returns trigger language plpgsql as $$
    begin
      if old.role = 'admin' and (tg_op = 'DELETE' or new.role <> 'admin') then
        perform 1 from organization where id = old."organizationId" for update;
        if found and not exists (
          select 1 from member where "organizationId" = old."organizationId" and role = 'admin'
        ) then
          raise exception 'last_admin' using errcode = 'SVC01';
        end if;
      end if;
      return null;
    end $$`,
  `create trigger member_keep_last_admin after update of role or delete on member
    for each row execute function keep_last_admin()`,

  `create function keep_daemon_mode() returns trigger language plpgsql as $$
    begin
      if new.daemon_mode is distinct from old.daemon_mode then
        raise exception 'the daemon mode of an organization is fixed' using errcode = 'SVC02';
      end if;
      return new;
    end $$`,
  `create trigger organization_keep_daemon_mode before update of daemon_mode on organization
    for each row execute function keep_daemon_mode()`,

  // Hash of the mailed secret of an invitation. Sending the invitation again replaces it.
  `create table invitation_secrets (
    invitation_id text primary key references invitation (id) on delete cascade, secret_hash text not null)`,

  `create table auto_admit_domains (domain text primary key,
    organization_id text not null unique references organization (id) on delete cascade,
    claimed_by text not null, claimed_at timestamptz not null)`,

  // Admission by domain, with one row for each address that a person has had, so that nobody is admitted twice.
  `create table admissions (organization_id text not null references organization (id) on delete cascade,
    user_id text not null references "user" (id) on delete cascade, email text not null,
    state text not null check (state in ('admitted', 'offered', 'declined', 'removed')),
    decided_at timestamptz not null, primary key (organization_id, user_id, email))`,
  `create function remember_removal() returns trigger language plpgsql as $$
    begin
      insert into admissions (organization_id, user_id, email, state, decided_at)
        select o.id, u.id, u.email, 'removed', now() from organization o, "user" u
          where o.id = old."organizationId" and u.id = old."userId"
        on conflict (organization_id, user_id, email) do update set state = 'removed', decided_at = now();
      return null;
    end $$`,
  `create trigger member_remember_removal after delete on member
    for each row execute function remember_removal()`,

  // Deletions in progress. Nobody is admitted any more. The hosted infrastructure is deleted before the organization.
  `create table organization_deletions (
    organization_id text primary key references organization (id) on delete cascade, operation_id text not null unique,
    requested_by text not null, requested_at timestamptz not null)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
