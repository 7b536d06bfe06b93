import { sql, type Kysely } from 'kysely'

const statements = [
  // The tables of the sign-in library for authenticator apps and passkeys, as its own compiler writes them.
  `alter table "user" add column "twoFactorEnabled" boolean`,
  `create table "twoFactor" ("id" text not null primary key, "secret" text not null, "backupCodes" text not null,
    "userId" text not null references "user" ("id") on delete cascade, "verified" boolean,
    "failedVerificationCount" integer, "lockedUntil" timestamptz)`,
  `create unique index "twoFactor_userId_uidx" on "twoFactor" ("userId")`,
  `create index "twoFactor_secret_idx" on "twoFactor" ("secret")`,
  `create table "passkey" ("id" text not null primary key, "name" text, "publicKey" text not null,
    "userId" text not null references "user" ("id") on delete cascade, "credentialID" text not null,
    "counter" integer not null, "deviceType" text not null, "backedUp" boolean not null, "transports" text,
    "createdAt" timestamptz, "aaguid" text)`,
  `create index "passkey_userId_idx" on "passkey" ("userId")`,
  `create unique index "passkey_credentialID_uidx" on "passkey" ("credentialID")`,

  // A code of an authenticator app is valid for 90 s and only once.
  `create table used_codes (user_id text not null references "user" (id) on delete cascade, code_hash text not null,
    used_at timestamptz not null, primary key (user_id, code_hash))`,

  // Turning the second factor on or off ends all sessions: they were created under the old rule. The library afterwards
  // creates a new session for the person who made the change. A challenge that waits for a code is a one-time value of
  // the person, so it ends, too.
  `create function end_sessions_of_old_rule() returns trigger language plpgsql as $$
    begin
      perform note_credential_change(new.id);
      perform end_mailed_links(new.id, new.email);
      delete from session where "userId" = new.id;
      return null;
    end $$`,
  `create trigger user_second_factor after update of "twoFactorEnabled" on "user"
    for each row when (coalesce(new."twoFactorEnabled", false) is distinct from coalesce(old."twoFactorEnabled", false))
    execute function end_sessions_of_old_rule()`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
