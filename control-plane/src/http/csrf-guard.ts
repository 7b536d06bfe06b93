import type { onRequestHookHandler } from 'fastify'
import { fail } from '@svc/shared/wire/errors.ts'
import './cross-origin.ts'
import { isFromHere } from './decide-origin.ts'

/**
 * Refuses unsafe requests that a page elsewhere may have caused. Runs before every route, those of the sign-in handler
 * included.
 */
export function createCsrfGuard(ownOrigin: string): onRequestHookHandler {
  return (request, _reply, done) => {
    const { headers, method, routeOptions } = request
    // Such a route ignores cookies, so a request of somebody's browser has no more rights there.
    if (routeOptions.config.crossOrigin === true) return done()
    const signs = {
      method,
      origin: headers.origin,
      fetchSite: single(headers['sec-fetch-site']),
      contentType: headers['content-type'],
      hasBody: headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0,
    }
    if (isFromHere(signs, ownOrigin)) return done()
    done(
      fail('forbidden', { reason: 'cross_site_request' }, { message: 'This request did not come from the web app.' }),
    )
  }
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value)
