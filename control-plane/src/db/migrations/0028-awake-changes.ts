import { sql, type Kysely } from 'kysely'

/**
 * Per hour, the daemons that started running minus those that stopped. Without this table, the overview would count the
 * events of the whole fleet at each request. A trigger maintains it, so that replicas of the previous version write it,
 * too. An hour has several rows, chosen by organization, so that changes of different daemons rarely wait for each
 * other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table awake_changes (
    hour integer not null, slot smallint not null, turned integer not null, primary key (hour, slot))`.execute(db)
  // Writers of one organization hold a lock in turn, so the newest state before an event is complete when it is read
  // here.
  await sql`create function count_awake_change() returns trigger language plpgsql as $$
    declare
      was_awake boolean := coalesce((
        select before.observed_state = 'running' from lifecycle_events before
        where before.org_id = new.org_id and before.kind = 'state_observed' and before.id < new.id
        order by before.id desc limit 1), false);
      change integer := coalesce(new.observed_state = 'running', false)::integer - was_awake::integer;
    begin
      if change <> 0 then
        insert into awake_changes as kept (hour, slot, turned)
          values (floor(extract(epoch from new.at) / 3600)::integer, abs(hashtext(new.org_id) % 8), change)
          on conflict (hour, slot) do update set turned = kept.turned + excluded.turned;
      end if;
      return null;
    end $$`.execute(db)
  await sql`create trigger count_awake_change after insert on lifecycle_events
    for each row when (new.kind = 'state_observed') execute function count_awake_change()`.execute(db)
  await sql`insert into awake_changes (hour, slot, turned)
    select floor(extract(epoch from at) / 3600)::integer, 0, sum(awake::integer - was_awake::integer)
    from (
      select at, coalesce(observed_state = 'running', false) as awake,
        coalesce(lag(observed_state = 'running') over (partition by org_id order by id), false) as was_awake
      from lifecycle_events where kind = 'state_observed'
    ) observed
    where awake <> was_awake group by 1`.execute(db)
}
