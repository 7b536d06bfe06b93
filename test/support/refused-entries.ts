import { sql } from 'kysely'
import type { Db } from '../../control-plane/src/db/database.ts'

/** Does something while the disk of the database has no room for the entries of one event in the audit. */
export async function whileRefused<T>(db: Db, event: string, act: () => Promise<T>): Promise<T> {
  await sql`create function refuse_entry() returns trigger language plpgsql as $$
    begin
      if new.record like '%"' || tg_argv[0] || '"%' then raise exception 'full' using errcode = '53100'; end if;
      return new;
    end $$`.execute(db)
  await sql`create trigger a_refusal before insert on audit_entries
    for each row execute function refuse_entry(${sql.lit(event)})`.execute(db)
  try {
    return await act()
  } finally {
    await sql`drop function refuse_entry cascade`.execute(db)
  }
}
