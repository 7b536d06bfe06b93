import { z } from 'zod'
import { redirectKind } from './redirect-uri.ts'

const NAME_CHARACTERS = 60
const MAX_REDIRECTS = 10
const UNNAMED = 'Unnamed program'

/** A client as it is stored. Other fields that a client sends are ignored: none of them has an effect here. */
export type ClientMetadata = {
  name: string
  uri: string | undefined
  redirectUris: string[]
  authMethod: 'none' | 'client_secret_post' | 'client_secret_basic' | 'private_key_jwt'
}

const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECTS),
  client_name: z.string().nullish(),
  client_uri: z.string().nullish(),
  token_endpoint_auth_method: z.string().nullish(),
})

/** Why metadata is refused, with the error codes of RFC 7591. */
export type MetadataRefusal = { error: 'invalid_redirect_uri' | 'invalid_client_metadata'; error_description: string }

/**
 * Reads a client's metadata from a registration or a metadata document. Unknown grants, scopes and application types
 * are common and harmless, so they are ignored; redirect addresses are strict. Pure.
 */
export function readClientMetadata(body: unknown): ClientMetadata | MetadataRefusal {
  const parsed = Registration.safeParse(body)
  if (!parsed.success)
    return refusal('invalid_client_metadata', `redirect_uris must list 1 to ${MAX_REDIRECTS} addresses`)

  const { redirect_uris, client_name, client_uri, token_endpoint_auth_method } = parsed.data
  const redirectUris = [...new Set(redirect_uris)].filter((uri) => redirectKind(uri) !== undefined)
  const dangerous = redirect_uris.some((uri) => redirectKind(uri) === undefined && !isForeignScheme(uri))
  if (dangerous || redirectUris.length === 0)
    return refusal('invalid_redirect_uri', 'redirect addresses must be https, http to this computer, or a known app')
  return {
    name: cleanName(client_name ?? ''),
    uri: typeof client_uri === 'string' && redirectKind(client_uri) === 'web' ? client_uri : undefined,
    redirectUris,
    authMethod: readAuthMethod(token_endpoint_auth_method),
  }
}

/** Clients for many servers list schemes of apps for other servers; those addresses are ignored. */
function isForeignScheme(uri: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]{2,30}:\/\/[\x21-\x7e]{1,500}$/i.test(uri) &&
    !/^(?:https?|javascript|data|file|blob|ws|wss|ftp|vbscript|about)(?=:)/i.test(uri)
  )
}

/** Makes a claimed name safe to display: no control characters, no direction marks, one line, short. */
export function cleanName(claimed: string): string {
  const plain = claimed
    .slice(0, 1_000)
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\p{M}{3,}/gu, '')
  const words = plain.split(/\s+/).filter(Boolean).join(' ')
  const short = Array.from(words).slice(0, NAME_CHARACTERS).join('').trim()
  return short === '' ? UNNAMED : short
}

function readAuthMethod(claimed: string | null | undefined): ClientMetadata['authMethod'] {
  const known = ['client_secret_post', 'client_secret_basic', 'private_key_jwt'] as const
  return known.find((method) => method === claimed) ?? 'none'
}

const refusal = (error: MetadataRefusal['error'], error_description: string): MetadataRefusal => ({
  error,
  error_description,
})
