import { sql, type Kysely } from 'kysely'

/**
 * Gives the trigger of 0028 its own index for the state of a daemon before an event, whatever the planner's statistics
 * say. When the statistics knew only a few organizations, the query of 0028 read the events of all organizations
 * backwards at the first event of each further one. The row comparison and its order fit only this index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index lifecycle_events_observed_by_organization on lifecycle_events (org_id, id)
    where kind = 'state_observed'`.execute(db)
  await sql`create or replace function count_awake_change() returns trigger language plpgsql as $$
    declare
      earlier record;
      was_awake boolean := false;
      change integer;
    begin
      select org_id, observed_state into earlier from lifecycle_events
        where kind = 'state_observed' and (org_id, id) < (new.org_id, new.id)
        order by org_id desc, id desc limit 1;
      if found and earlier.org_id = new.org_id then
        was_awake := coalesce(earlier.observed_state = 'running', false);
      end if;
      change := coalesce(new.observed_state = 'running', false)::integer - was_awake::integer;
      if change <> 0 then
        insert into awake_changes as kept (hour, slot, turned)
          values (floor(extract(epoch from new.at) / 3600)::integer, abs(hashtext(new.org_id) % 8), change)
          on conflict (hour, slot) do update set turned = kept.turned + excluded.turned;
      end if;
      return null;
    end $$`.execute(db)
}
