import { sql, type Kysely } from 'kysely'

/** Lets the last admin go once the organization is being deleted: nobody finds it any more to hand it over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create or replace function keep_last_admin() returns trigger language plpgsql as $$
    begin
      if old.role = 'admin' and (tg_op = 'DELETE' or new.role <> 'admin') then
        perform 1 from organization where id = old."organizationId" for update;
        if found and not exists (
          select 1 from member where "organizationId" = old."organizationId" and role = 'admin'
        ) and not exists (
          select 1 from organization_deletions where organization_id = old."organizationId"
        ) then
          raise exception 'last_admin' using errcode = 'SVC01';
        end if;
      end if;
      return null;
    end $$`.execute(db)
}
