import type { ColumnType, Generated } from 'kysely'

type Json<T> = ColumnType<T, string, string>

/** Tables of the OAuth library, as far as we use them. Its column names are camelCase. */
export type OAuthClientTable = {
  id: string
  clientId: string
  clientSecret: string | null
  disabled: boolean | null
  name: string | null
  uri: string | null
  redirectUris: Json<string[]>
  tokenEndpointAuthMethod: string | null
  applicationType: string | null
  jwks: string | null
  grantTypes: Json<string[]>
  responseTypes: Json<string[]>
  scopes: Json<string[]>
  requirePKCE: boolean | null
  createdAt: Date | null
  updatedAt: Date | null
}
export type OAuthTokenTable = {
  id: string
  token: string
  clientId: string
  userId: string
  scopes: Json<string[]>
  resources: Json<string[] | null>
  expiresAt: Date
  revoked: Date | null
}
export type OAuthClientAssertionTable = { id: string; expiresAt: Date }

/** A vault that a grant covers; without `vaultId`, every vault of the organization. */
export type GrantedVault = { orgId: string; vaultId: string | null }

export type AgentGrantsTable = {
  id: string
  user_id: string
  client_id: string
  integration_key: string
  can_write: boolean
  vaults: Json<GrantedVault[]>
  created_at: Date
  last_used_at: Date | null
  expires_at: Date
  paused_at: Date | null
  reads: Generated<number>
  writes: Generated<number>
}

export type IntegrationState = 'requested' | 'approved' | 'paused' | 'revoked'
export type AgentIntegrationsTable = {
  id: string
  org_id: string
  key: string
  name: string
  state: IntegrationState
  can_write: Generated<boolean>
  requested_by: string | null
  requested_at: Date | null
  approved_by: string | null
  approved_at: Date | null
  expires_at: Date | null
  last_used_at: Date | null
  reads: Generated<number>
  writes: Generated<number>
}
export type AgentRulesTable = { key: string; verdict: 'allowed' | 'blocked'; decided_by: string; decided_at: Date }

export type AgentSessionsEndedTable = { id: string; expires_at: Date }

export type AgentSubscriptionsTable = {
  session_id: string
  uri: string
  since: string
  made_at: Date
  expires_at: Date
}

/** How many changes of one agent were undone. `registration` is absent for changes from before daemons recorded it. */
export type UndoneOfAgent = {
  client: string
  person: string
  integration: string
  registration?: string | undefined
  changes: number
}
export type AgentUndoneTable = { org_id: string; agents: Json<UndoneOfAgent[]>; reported_at: Date }

export type AgentsTables = {
  oauthClient: OAuthClientTable
  oauthRefreshToken: OAuthTokenTable
  oauthAccessToken: OAuthTokenTable
  oauthClientAssertion: OAuthClientAssertionTable
  agent_grants: AgentGrantsTable
  agent_integrations: AgentIntegrationsTable
  agent_rules: AgentRulesTable
  agent_sessions_ended: AgentSessionsEndedTable
  agent_subscriptions: AgentSubscriptionsTable
  agent_undone: AgentUndoneTable
}
