import { createHash } from 'node:crypto'
import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { oauthProvider } from '@better-auth/oauth-provider'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { authOptions } from '../sign-in/auth.ts'
import type { SecretStore } from './client-secrets.ts'
import { librarySecrets } from './library-secrets.ts'
import { AGENT_SCOPES, OFFLINE, resourceOf } from './oauth-metadata.ts'

type Deps = {
  options: ReturnType<typeof authOptions>
  baseUrl: string
  secrets: Pick<SecretStore, 'seal' | 'open'>
  secret: Secret
  previousSecret: Secret | undefined
}

const ACCESS_SECONDS = 3_600
const REFRESH_SECONDS = 90 * 86_400
const CODE_SECONDS = 300
/**
 * A client that lost the response to a refresh, or sent two at once, gets the same response again for this long. Many
 * wait half a minute before they try again.
 */
const REPLAY_SECONDS = 60

/** How tokens are stored. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** The options of the OAuth library: it runs beside the sign-in handler, with the same sessions, at the root. */
export function oauthOptions({ options, baseUrl, secrets, secret, previousSecret }: Deps) {
  return {
    ...options,
    // The library seals responses that it may repeat. They must open at a replica that has changed its secret.
    secrets: librarySecrets([secret, previousSecret]),
    basePath: '/',
    onAPIError: { throw: true, errorURL: `${baseUrl}/connect` }, // what is no answer to a program is logged
    plugins: [
      oauthProvider({
        loginPage: '/connect',
        consentPage: '/consent',
        scopes: [...AGENT_SCOPES, OFFLINE],
        resources: [{ identifier: resourceOf(baseUrl), name: 'svc vaults' }],
        enforcePerClientResources: false, // there is one resource, for every client
        grantTypes: ['authorization_code', 'refresh_token'],
        accessTokenExpiresIn: ACCESS_SECONDS,
        refreshTokenExpiresIn: REFRESH_SECONDS,
        codeExpiresIn: CODE_SECONDS,
        refreshTokenReuseInterval: REPLAY_SECONDS,
        // Tokens are rows: deleting a row ends its token, and every call looks it up anyway.
        disableJwtPlugin: true,
        storeTokens: { hash: async (token) => hashToken(token) },
        storeClientSecret: {
          encrypt: async (secret) => secrets.seal(secret),
          decrypt: async (stored) => secrets.open(stored) ?? refuseClient(),
        },
        allowDynamicClientRegistration: false, // register-client.ts registers
      }),
    ],
  }
}

function refuseClient(): never {
  throw new APIError('UNAUTHORIZED', { error: 'invalid_client', error_description: 'invalid client_secret' })
}

/** Handles a request for one of the library's paths. */
export type OAuthHandler = (request: Request) => Promise<Response>

/**
 * The OAuth library, configured. Reached through oauth.routes.ts alone, which lists the allowed paths. It reads the
 * database when it is created, so it is created with the first request, and again after a failure.
 */
export function createOAuthProvider(deps: Deps): OAuthHandler {
  const make = () => betterAuth(oauthOptions(deps))
  let made: ReturnType<typeof make> | undefined

  return async (request) => {
    const provider = (made ??= make())
    await provider.$context.catch((error: unknown) => {
      if (made === provider) made = undefined
      throw error
    })
    return provider.handler(request)
  }
}
