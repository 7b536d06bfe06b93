/** Supported scopes. `offline_access` stands for refresh tokens and concerns the authorization server only. */
export const AGENT_SCOPES = ['read', 'write'] as const
export const OFFLINE = 'offline_access'

/** The URL of the MCP endpoint, which is also the audience of every access token. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

/** RFC 9728: where to sign in for the MCP endpoint. */
export const protectedResource = (baseUrl: string) => ({
  resource: resourceOf(baseUrl),
  resource_name: 'svc vaults',
  authorization_servers: [baseUrl],
  scopes_supported: [...AGENT_SCOPES],
  bearer_methods_supported: ['header'],
})

/** RFC 8414: how to sign in. Members without a value are omitted, because clients refuse null. */
export const authorizationServer = (baseUrl: string, registration: 'open' | 'off') => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth2/authorize`,
  token_endpoint: `${baseUrl}/oauth2/token`,
  revocation_endpoint: `${baseUrl}/oauth2/revoke`,
  ...(registration === 'open' ? { registration_endpoint: `${baseUrl}/oauth2/register` } : {}),
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'],
  scopes_supported: [...AGENT_SCOPES, OFFLINE],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
})
