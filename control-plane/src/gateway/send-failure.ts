import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ServiceError } from '@svc/shared/wire/errors.ts'
import { writeFailure } from '../http/raw-response.ts'
import { reportFailure, toFailure } from '../http/failures.ts'
import { enterPage, failurePage, hostOfflinePage, isNavigation } from '../pages/static-pages.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'
import { hasBody } from './forward-request.ts'
import { wakingPage } from './waking-page.ts'

type Context = { secure: boolean; baseUrl: string }

/** Creates the function that tells a browser why its request failed, as a page or as JSON. */
export function createSendFailure({ secure, baseUrl, log }: Context & { log: Log }) {
  return (request: IncomingMessage, response: ServerResponse, thrown: unknown): void => {
    const requestId = randomUUID()
    const error = toFailure(thrown)
    reportFailure(log, error, requestId)
    const ownHeaders = originHeaders({ secure })
    request.resume()
    if (response.headersSent || response.destroyed) return void response.destroy()
    // Do not read the rest of a refused body: close the connection.
    if (hasBody(request) && !request.complete) response.setHeader('connection', 'close')
    if (!isNavigation(request)) return writeFailure(response, { thrown: error, requestId, headers: ownHeaders })

    const { enterUrl } = (error.details ?? {}) as { enterUrl?: string }
    if (error.code === 'unauthenticated' && enterUrl !== undefined && request.method === 'GET') {
      response.writeHead(302, { ...ownHeaders, location: enterUrl, 'content-length': '0' })
      return void response.end()
    }
    const page = pageFor(error, { secure, baseUrl, target: request.url ?? '/' })
    // A waking daemon is not a failure: the page reloads by itself.
    const status = error.code === 'daemon_waking' ? 202 : error.status
    response.writeHead(status, { ...page.headers, 'content-length': Buffer.byteLength(page.body) })
    response.end(page.body)
  }
}

function pageFor(error: ServiceError, context: Context & { target: string }) {
  if (error.code === 'unauthenticated') return enterPage(context)
  if (error.code === 'daemon_offline') return hostOfflinePage(context)
  if (error.code === 'daemon_waking') {
    const { waitedSeconds = 0 } = (error.details ?? {}) as { waitedSeconds?: number }
    return wakingPage({ ...context, waitedSeconds })
  }
  return failurePage(context, error.message)
}
