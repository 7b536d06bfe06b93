import { AGENT_SCOPES, OFFLINE, resourceOf } from './oauth-metadata.ts'

/** Parameters of an authorization request that have a meaning here; others are removed. */
const KEPT = ['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method'] as const

/**
 * Normalizes an authorization request for the library. Clients omit the resource or add a slash to it, send blanks in
 * the scope and forget to ask for refresh tokens. Consent is always requested, because a client on the person's
 * computer cannot prove its identity. Pure.
 */
export function normalizeAuthorization(given: URLSearchParams, baseUrl: string): URLSearchParams {
  const normal = new URLSearchParams()
  for (const name of KEPT) {
    const value = given.get(name)
    if (value !== null && value !== '') normal.set(name, value)
  }
  normal.set('scope', [...normalScopes(given.get('scope') ?? ''), OFFLINE].join(' '))
  for (const resource of normalResources(given.getAll('resource'), baseUrl)) normal.append('resource', resource)
  normal.set('prompt', 'consent')
  return normal
}

/** The known scopes of a request; all of them when it names none. */
function normalScopes(text: string): readonly string[] {
  const asked = new Set(text.split(/\s+/))
  const known = AGENT_SCOPES.filter((scope) => asked.has(scope))
  return known.length === 0 ? AGENT_SCOPES : known
}

/** The resource of a request: ours when the request names none or a similar form of ours, otherwise as given. Pure. */
export function normalResources(given: string[], baseUrl: string): string[] {
  const own = resourceOf(baseUrl)
  const near = new Set([own, `${own}/`, baseUrl, `${baseUrl}/`])
  const named = given.filter((resource) => resource !== '')
  if (named.length === 0) return [own]
  return [...new Set(named.map((resource) => (near.has(resource) ? own : resource)))]
}
