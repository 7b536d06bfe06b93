import { LOCAL_PROGRAM } from '../integrations/integration-keys.ts'

/**
 * Where a client receives its code: a web address, a program on the person's computer, or an app with its own scheme.
 */
export type RedirectKind = 'web' | 'loopback' | 'app'

/** Any program can register a scheme, so only these exact addresses are accepted. */
const APP_REDIRECTS = new Set(['cursor://anysphere.cursor-mcp/oauth/callback'])
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_LENGTH = 500

/** The kind of a redirect address; undefined when no code may be sent to it. Pure. */
export function redirectKind(uri: string): RedirectKind | undefined {
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || uri.includes('#') || uri.includes('\\'))
    return undefined
  if (APP_REDIRECTS.has(uri)) return 'app'
  const url = URL.parse(uri)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  if (url.protocol === 'https:') return 'web'
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname) ? 'loopback' : undefined
}

/**
 * What an organization approves. Names are claims and registered ids change, so the key is what the client cannot
 * choose freely: the URL of its metadata document, otherwise the exact web address that receives its codes.
 */
export function integrationKey(clientId: string, redirectUri: string): string {
  if (isMetadataDocument(clientId)) return clientId
  return redirectKind(redirectUri) === 'web' ? redirectUri : LOCAL_PROGRAM
}

/** A client id that is the URL of its metadata document. */
export const isMetadataDocument = (clientId: string): boolean => clientId.startsWith('https://')
