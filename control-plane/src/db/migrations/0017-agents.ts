import { sql, type Kysely } from 'kysely'

// First the tables of the OAuth library, as its own compiler writes them; agents-schema.test.ts checks that none is
// missing. Their names are the library's, in quoted camelCase. Then our own tables.
const library = [
  `create table "oauthClient" ("id" text not null primary key, "clientId" text not null unique, "clientSecret" text,
    "clientDiscoveryId" text, "disabled" boolean, "skipConsent" boolean, "enableEndSession" boolean, "subjectType" text,
    "scopes" jsonb, "clientCredentialsScopes" jsonb, "userId" text references "user" ("id") on delete cascade,
    "createdAt" timestamptz, "updatedAt" timestamptz, "name" text, "uri" text, "icon" text, "contacts" jsonb, "tos" text,
    "policy" text, "softwareId" text, "softwareVersion" text, "softwareStatement" text, "redirectUris" jsonb not null,
    "postLogoutRedirectUris" jsonb, "backchannelLogoutUri" text, "backchannelLogoutSessionRequired" boolean,
    "tokenEndpointAuthMethod" text, "applicationType" text, "jwks" text, "jwksUri" text, "grantTypes" jsonb,
    "responseTypes" jsonb, "requirePKCE" boolean, "dpopBoundAccessTokens" boolean, "referenceId" text,
    "metadata" jsonb)`,
  `create table "oauthResource" ("id" text not null primary key, "identifier" text not null unique,
    "name" text not null, "accessTokenTtl" integer, "refreshTokenTtl" integer, "signingAlgorithm" text,
    "signingKeyId" text, "allowedScopes" jsonb, "customClaims" jsonb, "dpopBoundAccessTokensRequired" boolean,
    "disabled" boolean, "createdAt" timestamptz, "updatedAt" timestamptz, "policyVersion" integer, "metadata" jsonb)`,
  `create table "oauthClientResource" ("id" text not null primary key,
    "clientId" text not null references "oauthClient" ("clientId") on delete cascade,
    "resourceId" text not null references "oauthResource" ("identifier") on delete cascade, "metadata" jsonb,
    "createdAt" timestamptz)`,
  `create table "oauthRefreshToken" ("id" text not null primary key, "token" text not null unique,
    "clientId" text not null references "oauthClient" ("clientId") on delete cascade,
    "sessionId" text references "session" ("id") on delete set null,
    "userId" text not null references "user" ("id") on delete cascade, "referenceId" text, "authorizationCodeId" text,
    "resources" jsonb, "requestedUserInfoClaims" jsonb, "expiresAt" timestamptz not null,
    "createdAt" timestamptz not null, "revoked" timestamptz, "rotatedAt" timestamptz, "rotationReplayResponse" text,
    "rotationReplayExpiresAt" timestamptz, "authTime" timestamptz, "confirmation" jsonb, "scopes" jsonb not null)`,
  `create table "oauthAccessToken" ("id" text not null primary key, "token" text not null unique,
    "clientId" text not null references "oauthClient" ("clientId") on delete cascade,
    "sessionId" text references "session" ("id") on delete set null,
    "userId" text references "user" ("id") on delete cascade, "referenceId" text, "authorizationCodeId" text,
    "resources" jsonb, "requestedUserInfoClaims" jsonb,
    "refreshId" text references "oauthRefreshToken" ("id") on delete cascade, "expiresAt" timestamptz not null,
    "createdAt" timestamptz not null, "revoked" timestamptz, "confirmation" jsonb, "scopes" jsonb not null)`,
  `create table "oauthConsent" ("id" text not null primary key,
    "clientId" text not null references "oauthClient" ("clientId") on delete cascade,
    "userId" text references "user" ("id") on delete cascade, "referenceId" text, "resources" jsonb,
    "requestedUserInfoClaims" jsonb, "scopes" jsonb not null, "createdAt" timestamptz not null,
    "updatedAt" timestamptz not null)`,
  `create table "oauthClientAssertion" ("id" text not null primary key, "expiresAt" timestamptz not null)`,
  `create index "oauthClient_userId_idx" on "oauthClient" ("userId")`,
  `create index "oauthClientResource_clientId_idx" on "oauthClientResource" ("clientId")`,
  `create index "oauthClientResource_resourceId_idx" on "oauthClientResource" ("resourceId")`,
  `create index "oauthRefreshToken_clientId_idx" on "oauthRefreshToken" ("clientId")`,
  `create index "oauthRefreshToken_sessionId_idx" on "oauthRefreshToken" ("sessionId")`,
  `create index "oauthRefreshToken_userId_idx" on "oauthRefreshToken" ("userId")`,
  `create index "oauthRefreshToken_authorizationCodeId_idx" on "oauthRefreshToken" ("authorizationCodeId")`,
  `create index "oauthAccessToken_clientId_idx" on "oauthAccessToken" ("clientId")`,
  `create index "oauthAccessToken_sessionId_idx" on "oauthAccessToken" ("sessionId")`,
  `create index "oauthAccessToken_userId_idx" on "oauthAccessToken" ("userId")`,
  `create index "oauthAccessToken_authorizationCodeId_idx" on "oauthAccessToken" ("authorizationCodeId")`,
  `create index "oauthAccessToken_refreshId_idx" on "oauthAccessToken" ("refreshId")`,
  `create index "oauthConsent_clientId_idx" on "oauthConsent" ("clientId")`,
  `create index "oauthConsent_userId_idx" on "oauthConsent" ("userId")`,
  `create unique index "oauthClientResource_clientId_resourceId_uidx"
    on "oauthClientResource" ("clientId", "resourceId")`,
]

const ours = [
  // What a person allowed a client: the scopes, and the vaults (a null vault_id means every vault of the organization).
  `create table agent_grants (id text primary key,
    user_id text not null references "user" ("id") on delete cascade,
    client_id text not null references "oauthClient" ("clientId") on delete cascade,
    integration_key text not null, can_write boolean not null, vaults jsonb not null,
    created_at timestamptz not null, last_used_at timestamptz, expires_at timestamptz not null,
    reads bigint not null default 0, writes bigint not null default 0, unique (user_id, client_id))`,
  `create index agent_grants_client on agent_grants (client_id)`,
  // What the admins of an organization allow a kind of client, for every member who uses it.
  `create table agent_integrations (id text primary key,
    org_id text not null references organization (id) on delete cascade, key text not null,
    name text not null, state text not null check (state in ('requested', 'approved', 'paused', 'revoked')),
    can_write boolean not null default false, requested_by text references "user" ("id") on delete set null,
    requested_at timestamptz, approved_by text references "user" ("id") on delete set null, approved_at timestamptz,
    expires_at timestamptz, last_used_at timestamptz, reads bigint not null default 0, writes bigint not null default 0,
    unique (org_id, key))`,
  // What system admins decide for the whole platform.
  `create table agent_rules (key text primary key, verdict text not null check (verdict in ('allowed', 'blocked')),
    decided_by text not null, decided_at timestamptz not null)`,
  // The state of an MCP client's session is in its id. Only sessions that ended early are stored.
  `create table agent_sessions_ended (id text primary key, expires_at timestamptz not null)`,

  // When a grant ends, in whatever way, its tokens end in the same commit.
  `create function end_agent_tokens() returns trigger language plpgsql as $$
    begin
      delete from "oauthRefreshToken" where "userId" = old.user_id and "clientId" = old.client_id;
      delete from "oauthAccessToken" where "userId" = old.user_id and "clientId" = old.client_id;
      delete from "oauthConsent" where "userId" = old.user_id and "clientId" = old.client_id;
      return null;
    end $$`,
  `create trigger agent_grant_ended after delete on agent_grants for each row execute function end_agent_tokens()`,
  // A new password or address ends all earlier grants.
  `create function end_agent_grants() returns trigger language plpgsql as $$
    begin
      delete from agent_grants where user_id = to_jsonb(new) ->> tg_argv[0];
      return null;
    end $$`,
  `create trigger account_first_password_ends_agents after insert on account
    for each row when (new.password is not null) execute function end_agent_grants('userId')`,
  `create trigger account_new_password_ends_agents after update of password on account
    for each row when (new.password is distinct from old.password) execute function end_agent_grants('userId')`,
  `create trigger user_new_address_ends_agents after update of email on "user"
    for each row when (new.email is distinct from old.email) execute function end_agent_grants('id')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...library, ...ours]) await sql.raw(statement).execute(db)
}
