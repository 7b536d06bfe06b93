import type { IncomingMessage } from 'node:http'
import { andThen, type Eventual } from '@svc/shared/kit/eventual.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { EntrySession } from '../entry/entry-secret.ts'
import type { EntrySessions } from '../entry/entry-sessions.ts'
import { createEntryKeys } from '../entry/entry-cookie.ts'
import { hasBody } from './forward-request.ts'
import { rememberRoutes, type PublicRoute } from './public-routes.ts'
import { refuseDoubled } from './request-headers.ts'
import type { VaultOrigin, VaultOrigins } from '../entry/vault-origins.ts'
import { wayIn } from './way-in.ts'

type Options = { baseUrl: string; origins: VaultOrigins; entries: EntrySessions }
/** A request that may be forwarded to the daemon of `origin` on behalf of `session`. */
export type Admitted = { origin: VaultOrigin; session: EntrySession; route: PublicRoute }

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/** True for a request that changes nothing and can therefore be retried. */
export const isSafe = ({ method = 'GET' }: Pick<IncomingMessage, 'method'>): boolean => SAFE_METHODS.has(method)

/** Decides which request may reach which daemon. Synchronous while origin and session are cached. */
export function createAdmission({ baseUrl, origins, entries }: Options) {
  const keyOf = createEntryKeys(origins.secure)
  const routeOf = rememberRoutes()
  const admitted = (
    { url: target = '/' }: IncomingMessage,
    origin: VaultOrigin,
    { route, session }: { route: PublicRoute; session: EntrySession | undefined },
  ): Admitted => {
    const { orgId } = origin
    if (session?.orgId !== orgId) throw fail('unauthenticated', { enterUrl: wayIn({ baseUrl, orgId, target }) })
    if ('vaultId' in route && !session.vaults.includes(route.vaultId)) throw fail('not_found')
    return { origin, session, route }
  }

  return {
    /** The vault origin of a Host; fails with `misdirected_request` when there is none. */
    findOrigin: ({ rawHeaders, headers }: IncomingMessage): Eventual<VaultOrigin> => {
      refuseDoubled(rawHeaders)
      return andThen(origins.findByHost(headers.host ?? ''), (origin) => {
        if (origin === undefined) throw fail('misdirected_request')
        return origin
      })
    },

    /** Checks route, method, page and entry session, in this order, with a typed failure for each. */
    admit: (request: IncomingMessage, origin: VaultOrigin): Eventual<Admitted> => {
      const { method = 'GET', url: target = '/', headers } = request
      if (headers['service-worker'] !== undefined) throw fail('forbidden', { reason: 'service_worker' })
      const route = routeOf(method, target)
      refuseCrossSite(request, route)
      if (!isSafe(request)) refuseForeign(request, origin)
      else if (hasBody(request))
        throw fail('invalid_request', [{ path: 'body', message: `is not expected with ${method}` }])

      const key = keyOf(request)
      if (key === undefined) return admitted(request, origin, { route, session: undefined })
      return andThen(entries.find(key), (session) => admitted(request, origin, { route, session }))
    },
  }
}

/**
 * A page elsewhere may open the UI in a tab of its own and nothing else: it may neither embed nor fetch content of this
 * origin, with or without the cookie. Clients that are no browsers do not say where a request comes from.
 */
function refuseCrossSite({ method, headers }: IncomingMessage, { kind }: PublicRoute): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  const opensTab = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  if (method === 'GET' && opensTab && kind === 'ui') return
  throw fail('forbidden', { reason: 'cross_site_request' })
}

/** Unsafe requests must come from a page of this origin. */
function refuseForeign({ headers }: IncomingMessage, { origin }: VaultOrigin): void {
  const own = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin
  if (!own) throw fail('forbidden', { reason: 'origin' })
}
