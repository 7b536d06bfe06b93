import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { authOptions } from '../sign-in/auth.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { createClientSecrets } from './client-secrets.ts'
import { clientsRepository } from './clients.repository.ts'
import { connectedAppsRoutes } from './connected-apps.routes.ts'
import { createConsent } from './consent.ts'
import { createExchangeToken } from './exchange-token.ts'
import type { FetchDocument } from './fetch-document.ts'
import { grantsRepository } from './grants.repository.ts'
import { resourceOf } from './oauth-metadata.ts'
import { createOAuthProvider } from './oauth-provider.ts'
import { oauthRoutes, type OAuthRouteDeps } from './oauth.routes.ts'
import { createRegisterClient } from './register-client.ts'
import { createResealClientSecrets } from './reseal-client-secrets.ts'
import { resignQuery } from './resign-query.ts'
import { createResolveClient } from './resolve-client.ts'

type Deps = {
  db: Db
  clock: Clock
  log: Log
  baseUrl: string
  registration: 'open' | 'off'
  secret: Secret
  previousSecret: Secret | undefined
  /** The options of the sign-in handler, whose sessions are used here too. */
  options: ReturnType<typeof authOptions>
  fetchDocument: FetchDocument
}
type PageDeps = { guards: Guards } & Pick<Parameters<typeof connectedAppsRoutes>[0], 'findUndone' | 'listOrganizations'>
type RouteDeps = OAuthRouteDeps & Pick<Parameters<typeof createConsent>[0], 'listVaults' | 'listOrganizations'>

export type OAuth = ReturnType<typeof createOAuth>

/** Sign-in of programs: clients, consent, tokens, and what each person granted. */
export function createOAuth({ db, clock, log, baseUrl, registration, options, fetchDocument, ...deps }: Deps) {
  const clients = clientsRepository(db, clock)
  const grants = grantsRepository(db, clock)
  const endpoint = resourceOf(baseUrl)
  const { secret, previousSecret } = deps
  const secrets = createClientSecrets({ secret, previous: previousSecret })

  return {
    recordUses: grants.recordUses,
    deleteUnused: clients.deleteUnused,
    resealClientSecrets: createResealClientSecrets({ clients, secrets }),
    endpoint,
    /** The routes for programs and for the consent page. */
    routes: ({ guards, rateLimit, findSession, ...sources }: RouteDeps) => {
      const handler = createOAuthProvider({ options, baseUrl, secrets, secret, previousSecret })
      return [
        oauthRoutes({
          guards,
          rateLimit,
          findSession,
          baseUrl,
          registration,
          handler,
          consent: createConsent({
            handler,
            clients,
            grants,
            baseUrl,
            resignQuery: (query) => resignQuery(query, { secret, previous: previousSecret }),
            ...sources,
          }),
          resolveClient: createResolveClient({ clients, fetchDocument, clock, log }),
          register: createRegisterClient({ clients, secrets, clock }),
          exchange: createExchangeToken({ handler, clients, grants, baseUrl, clock }),
        }),
      ]
    },
    /** The routes for the web app. */
    pages: (sources: PageDeps) => [connectedAppsRoutes({ grants, endpoint, clock, ...sources })],
  }
}
