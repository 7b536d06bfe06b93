import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import type { EntrySession } from '../entry/entry-session.ts'
import type { EntrySessions } from '../entry/entry-sessions.ts'
import { Ending } from './ending.ts'
import type { EnterVault } from './enter-vault.ts'
import { readEntryCookie } from './entry-cookie.ts'
import { NothingAnswered } from './daemon-connection.ts'
import { forwardRequest, hasBody } from './forward-request.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { isNavigation } from './navigation.ts'
import type { OrgLimits } from './org-limits.ts'
import { enterPage, failurePage, waitingPage } from './pages.ts'
import { publicRoute, type PublicRoute } from './public-routes.ts'
import { answerFailure, refuseUpgrade } from './raw-answer.ts'
import type { RequestAssertions } from './request-assertions.ts'
import { handshakeHeaders, refuseDoubled, requestHeaders } from './request-headers.ts'
import { originHeaders } from './response-headers.ts'
import type { VaultOrigin, VaultOrigins } from './vault-origins.ts'
import type { WakeQueue } from './wake-queue.ts'

type Options = {
  baseUrl: string
  origins: VaultOrigins
  entries: EntrySessions
  enterVault: EnterVault
  assertionFor: RequestAssertions
  wakeQueue: WakeQueue
  limits: OrgLimits
  log: Log
}
type Admitted = { origin: VaultOrigin; session: EntrySession; route: PublicRoute; target: string }

/** A browser that neither sends nor reads for this long is given up; there is no limit to the whole. */
const IDLE_MS = 180_000
const SAFE_METHODS = new Set(['GET', 'HEAD'])

/** The browsers' side of the relay: admits each request by its entry session and carries it to the daemon. */
export function createPublicGateway(options: Options) {
  const { baseUrl, origins, entries, enterVault, assertionFor, wakeQueue, limits, log } = options
  const { secure } = origins

  const findOrigin = async ({ rawHeaders, headers }: IncomingMessage): Promise<VaultOrigin> => {
    refuseDoubled(rawHeaders)
    const found = origins.findByHost(headers.host ?? '')
    const origin = found instanceof Promise ? await found : found
    if (origin === undefined) throw fail('misdirected_request')
    return origin
  }

  const admit = async (request: IncomingMessage, origin: VaultOrigin): Promise<Admitted> => {
    const { method = 'GET', url: target = '/', headers } = request
    if (headers['service-worker'] !== undefined) throw fail('forbidden', { reason: 'service_worker' })
    const route = publicRoute(method, target)
    if (!SAFE_METHODS.has(method)) refuseForeign(request, origin)
    if (SAFE_METHODS.has(method) && hasBody(request))
      throw fail('invalid_request', [{ path: 'body', message: `is not expected with ${method}` }])

    const secret = readEntryCookie(request, secure)
    const found = secret === undefined ? undefined : entries.find(secret)
    const session = found instanceof Promise ? await found : found
    if (session === undefined || session.orgId !== origin.orgId) throw fail('unauthenticated', { appUrl: baseUrl })
    if ('vaultId' in route && !session.vaults.includes(route.vaultId)) throw fail('not_found')
    return { origin, session, route, target }
  }

  const forward = async (request: IncomingMessage, response: ServerResponse, admitted: Admitted): Promise<void> => {
    const { origin, session, target } = admitted
    if (admitted.route.kind === 'live') throw fail('invalid_request', [{ path: 'upgrade', message: 'is missing' }])
    if (response.destroyed) return
    const ending = new Ending()
    const end = () => ending.end()
    const admission = limits.enter(origin.orgId)
    const unwatch = entries.watch(session, end)
    response.setTimeout(IDLE_MS, end)
    // Not when the daemon is done: an answer that the browser has yet to read is open, and its session may end.
    response.once('close', () => {
      end()
      unwatch()
      admission.leave()
    })
    const assertion = assertionFor(session)
    const headers = requestHeaders({
      rawHeaders: request.rawHeaders,
      host: request.headers.host ?? '',
      assertion: typeof assertion === 'string' ? assertion : await assertion,
    })
    const repeatable = SAFE_METHODS.has(request.method ?? '')
    for (let attempt = 1; ; attempt += 1) {
      const wanted = { orgId: origin.orgId, ending }
      const way = isNavigation(request) ? await wakeQueue.findNow(wanted) : await wakeQueue.find(wanted)
      try {
        const { pool } = way
        const { count } = admission
        return await forwardRequest({ request, response, pool, target, headers, secure, ending, count })
      } catch (error) {
        if (!(error instanceof NothingAnswered)) throw error
        // A tunnel went while the request was on its way; one that changes nothing may go again.
        if (!repeatable || attempt === 2) throw fail('daemon_unreachable', undefined, { cause: error })
      }
    }
  }

  const answer = (request: IncomingMessage, response: ServerResponse, thrown: unknown) => {
    const requestId = randomUUID()
    const error = toServiceError(thrown)
    if (error.code === 'internal') log.error({ err: error.cause, requestId }, 'the gateway failed')
    const ownHeaders = originHeaders({ secure })
    request.resume()
    if (response.headersSent || response.destroyed) return void response.destroy()
    // What is left of a refused body is not worth reading; the connection goes with it.
    if (hasBody(request) && !request.complete) response.setHeader('connection', 'close')
    if (!isNavigation(request)) return answerFailure(response, { thrown: error, requestId, headers: ownHeaders })

    const page = pageFor(error, { secure, baseUrl })
    response.writeHead(error.status, { ...page.headers, 'content-length': Buffer.byteLength(page.body) })
    response.end(page.body)
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const origin = await findOrigin(request)
    if (request.url === '/_svc/enter') return enterVault.enter({ request, response, origin })
    if (request.url === '/_svc/leave') return enterVault.leave({ request, response, origin })
    await forward(request, response, await admit(request, origin))
  }

  const serveUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const origin = await findOrigin(request)
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET')
      throw fail('invalid_request', [{ path: 'upgrade', message: 'must be websocket' }])
    if (request.headers.origin !== origin.origin) throw fail('forbidden', { reason: 'origin' })
    const { session, route, target } = await admit(request, origin)
    if (route.kind !== 'live') throw fail('not_found')

    const ending = new Ending()
    const admission = limits.enter(origin.orgId)
    const unwatch = entries.watch(session, () => ending.end())
    try {
      const assertion = await assertionFor(session)
      const headers = handshakeHeaders({ rawHeaders: request.rawHeaders, host: request.headers.host ?? '', assertion })
      const { tunnel } = await wakeQueue.find({ orgId: origin.orgId, ending })
      await forwardUpgrade({ request, socket, head, tunnel, target, headers, ending, count: admission.count })
    } finally {
      unwatch()
      admission.leave()
    }
  }

  return {
    /** True for a Host of the vault origins, in use or not. */
    ownsHost: (host: string): boolean => origins.matches(host),

    request: (request: IncomingMessage, response: ServerResponse): void => {
      response.on('error', () => {})
      serve(request, response).catch((error: unknown) => answer(request, response, error))
    },

    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('error', () => {})
      serveUpgrade(request, socket, head).catch((error: unknown) => {
        const requestId = randomUUID()
        const failure = toServiceError(error)
        if (failure.code === 'internal') log.error({ err: failure.cause, requestId }, 'the gateway failed')
        refuseUpgrade(socket, { thrown: failure, requestId, headers: originHeaders({ secure }) })
      })
    },
  }
}

/** Unsafe requests come from a page of this very origin. */
function refuseForeign({ headers }: IncomingMessage, { origin }: VaultOrigin): void {
  const own = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin
  if (!own) throw fail('forbidden', { reason: 'origin' })
}

function pageFor(error: ServiceError, context: { secure: boolean; baseUrl: string }) {
  if (error.code === 'unauthenticated') return enterPage(context)
  if (error.code === 'daemon_offline' || error.code === 'daemon_waking') return waitingPage(context, error.code)
  return failurePage(context, error.message)
}
