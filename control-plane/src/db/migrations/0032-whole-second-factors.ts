import { sql, type Kysely } from 'kysely'

// The sign-in library turns the second factor on and off in two statements: first the flag of the person, then the row
// of the secret. Between them, sign-in would ask for a code that nobody can give, or leave out one that the person
// believes in. The triggers change both in one statement. The statement that follows finds nothing left to change.
const pairs = [
  `create function pair_second_factor() returns trigger language plpgsql as $$
    begin
      if new."twoFactorEnabled" then
        update "twoFactor" set verified = true where "userId" = new.id;
        if not found then raise exception 'a second factor needs a secret' using errcode = 'SVC03'; end if;
      else
        delete from "twoFactor" where "userId" = new.id;
      end if;
      return null;
    end $$`,
  `create trigger user_pair_second_factor after update of "twoFactorEnabled" on "user"
    for each row when (coalesce(new."twoFactorEnabled", false) is distinct from coalesce(old."twoFactorEnabled", false))
    execute function pair_second_factor()`,

  `create function pair_secret() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update "user" set "twoFactorEnabled" = false where id = old."userId" and "twoFactorEnabled";
      elsif new.verified then
        update "user" set "twoFactorEnabled" = true where id = new."userId" and "twoFactorEnabled" is distinct from true;
      else
        raise exception 'a verified second factor is turned off before it is replaced' using errcode = 'SVC03';
      end if;
      return null;
    end $$`,
  `create trigger two_factor_verified after update of verified on "twoFactor"
    for each row when (new.verified is distinct from old.verified) execute function pair_secret()`,
  `create trigger two_factor_deleted after delete on "twoFactor" for each row execute function pair_secret()`,
]

// The flag is always written first, so it holds the last decision. Without a secret there is no second factor.
const repairs = [
  `update "twoFactor" set verified = true where verified is distinct from true
    and "userId" in (select id from "user" where "twoFactorEnabled")`,
  `delete from "twoFactor" where verified is distinct from false
    and "userId" in (select id from "user" where "twoFactorEnabled" is distinct from true)`,
  `update "user" set "twoFactorEnabled" = false where "twoFactorEnabled"
    and not exists (select from "twoFactor" where "userId" = "user".id)`,
]

/** Keeps the flag of a person and the secret of their second factor in step, and mends those that are not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...repairs, ...pairs]) await sql.raw(statement).execute(db)
}
