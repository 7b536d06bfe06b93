import { sql, type Kysely } from 'kysely'

// The message goes with the code: a replica of the release before, which opens an operation again, clears only the code.
const failureMessage = [
  `alter table operations add column failure_message text`,
  `create function drop_failure_message() returns trigger language plpgsql as $$
   begin
     new.failure_message := null;
     return new;
   end
   $$`,
  `create trigger drop_failure_message before update of failure_code on operations
   for each row when (new.failure_code is null) execute function drop_failure_message()`,
]

/** Keeps what the cluster said of a failure. Replicas of the release before do not write the column, and ignore it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of failureMessage) await sql.raw(statement).execute(db)
}
