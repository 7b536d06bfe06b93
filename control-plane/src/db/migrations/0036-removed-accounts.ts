import { sql, type Kysely } from 'kysely'

const statements = [
  // A removed way to sign in may have been a stranger's. Whatever was begun with it ends in the same commit.
  `create function end_what_account_began() returns trigger language plpgsql as $$
    begin
      delete from session where "userId" = old."userId";
      delete from agent_grants where user_id = old."userId";
      return null;
    end $$`,
  `create trigger account_removed after delete on account for each row execute function end_what_account_began()`,

  // An unconfirmed account got its password by a mailed link, so its owner set it. A stranger may have made the account
  // through the provider.
  `delete from account a using "user" u where u.id = a."userId" and not u."emailVerified"
    and a."providerId" <> 'credential'
    and exists (select from account own where own."userId" = a."userId" and own.password is not null)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
