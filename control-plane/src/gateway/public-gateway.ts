import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { slowestPace, watchBody, type BodyPace } from '@svc/shared/http/body-pace.ts'
import { andThen, attempt, type Eventual } from '@svc/shared/kit/eventual.ts'
import { isDiagramPath } from '@svc/shared/diagram/diagram-page.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { EntrySessions } from '../entry/entry-sessions.ts'
import { sendAsleep } from './send-asleep.ts'
import { createSendFailure } from './send-failure.ts'
import { createAdmission, isSafe, type Admitted } from './admit-request.ts'
import { RequestEnd } from './request-end.ts'
import type { AnswerPerson } from './answer-person.ts'
import type { EnterVault } from './enter-vault.ts'
import { NoResponse } from '../tunnels/daemon-connection.ts'
import { forwardRequest } from './forward-request.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { isNavigation } from '../pages/static-pages.ts'
import { createOfflineWorker } from './offline-worker.ts'
import type { ServeDiagram } from './diagram-page.ts'
import type { OrgLimits } from '../limits/org-limits.ts'
import { queuedByExchange, queuedByStreams, type QueuedBytes } from '../limits/queued-bytes.ts'
import { refuseUpgrade } from '../http/raw-response.ts'
import { reportFailure, toFailure } from '../http/failures.ts'
import type { RequestAssertions } from '../entry/kept-assertions.ts'
import { handshakeHeaders, requestHeaders } from './request-headers.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'
import type { VaultOrigins } from '../entry/vault-origins.ts'
import type { WakeQueue } from './wake-queue.ts'

type Options = {
  baseUrl: string
  origins: VaultOrigins
  entries: EntrySessions
  enterVault: EnterVault
  answerPerson: AnswerPerson
  serveDiagram: ServeDiagram
  assertionFor: RequestAssertions
  wakeQueue: WakeQueue
  limits: OrgLimits
  queued: Pick<QueuedBytes, 'watch'>
  /** Largest body of one request of an organization. */
  maxBodyBytesOf: (orgId: string) => number
  log: Log
  /** The slowest pace of a body that the gateway reads itself. */
  bodyPace?: BodyPace | undefined
}
type Carried = {
  request: IncomingMessage
  response: ServerResponse
  admitted: Admitted
  requestEnd: RequestEnd
  count: (bytes: number) => void
}

/** Paths that the gateway serves itself. */
const OWN_ROUTES = '/_svc/'
/** Disconnect a browser that neither sends nor reads for this long. The whole request has no limit. */
export const QUIET_MS = 180_000
/** A tunnel can close while a request is in flight. Retry a safe request once. */
const MOST_TRIES = 2

/** The browsers' side of the relay: admits each request by its entry session and forwards it to the daemon. */
export function createPublicGateway(options: Options) {
  const {
    baseUrl,
    origins,
    entries,
    enterVault,
    answerPerson,
    serveDiagram,
    assertionFor,
    wakeQueue,
    limits,
    queued,
    maxBodyBytesOf,
    log,
    bodyPace = slowestPace,
  } = options
  const { secure } = origins
  const offlineWorker = createOfflineWorker({ secure })
  const sendFailure = createSendFailure({ secure, baseUrl, log })

  const { findOrigin, admit } = createAdmission({ baseUrl, origins, entries })

  const forward = (request: IncomingMessage, response: ServerResponse, admitted: Admitted): Eventual<void> => {
    const { origin, session, route } = admitted
    if (route.kind === 'live') throw fail('invalid_request', [{ path: 'upgrade', message: 'is missing' }])
    const maxBytes = maxBodyBytesOf(origin.orgId)
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw fail('payload_too_large', { maxBytes })
    if (response.destroyed) return
    const requestEnd = new RequestEnd()
    const end = () => requestEnd.end()
    const owner = { orgId: origin.orgId, person: session.userId }
    return andThen(limits.enter({ ...owner, end }), ({ count, leave }) => {
      if (response.destroyed) return leave()
      const unwatch = entries.watch(session, end)
      const unmeasure = queued.watch(owner, queuedByExchange(request, response))
      limitQuiet(request)
      // Count a response until the browser has read it, not until the daemon has sent it: its session can end in between.
      response.on('close', () => {
        end()
        unwatch()
        unmeasure()
        leave()
      })
      return carry({ request, response, admitted, requestEnd, count })
    })
  }

  const tellPerson = (request: IncomingMessage, response: ServerResponse, { session }: Admitted): Eventual<void> => {
    const end = () => void response.destroy()
    return andThen(limits.enter({ orgId: session.orgId, person: session.userId, end }), ({ leave }) => {
      // The answer may wait until the daemon has woken, and the session may end meanwhile.
      const unwatch = entries.watch(session, end)
      return answerPerson({ request, response, session }).finally(() => {
        unwatch()
        leave()
      })
    })
  }

  /** Sends an admitted request to its daemon. */
  const carry = ({ request, response, admitted, requestEnd, count }: Carried): Eventual<void> => {
    const { origin, session, route } = admitted
    const wanted = { orgId: origin.orgId, person: session.userId, requestEnd }
    const { rawHeaders, headers: given, url: target = '/' } = request
    const { connection, host = '' } = given
    const findTunnel = () => {
      if (route.kind === 'events') return wakeQueue.findAwake(wanted)
      return isNavigation(request) ? wakeQueue.findNow(wanted) : wakeQueue.find(wanted)
    }
    const send = (tries: number): Eventual<void> => {
      const refused = (error: Error) => {
        if (!(error instanceof NoResponse)) return sendFailure(request, response, error)
        if (isSafe(request) && tries < MOST_TRIES)
          return attempt(
            () => send(tries + 1),
            (thrown) => sendFailure(request, response, thrown),
          )
        sendFailure(request, response, fail('daemon_unreachable', undefined, { cause: error }))
      }
      return andThen(findTunnel(), (found) => {
        if (found === 'asleep') return sendAsleep(response, { secure })
        // Only now: an assertion of before would have aged while the request was held.
        return andThen(assertionFor(session), (assertion) =>
          forwardRequest({
            request,
            response,
            pool: found.pool,
            target,
            headers: requestHeaders({ rawHeaders, connection, host, assertion }),
            secure,
            requestEnd,
            maxBytes: maxBodyBytesOf(origin.orgId),
            count,
            refused,
          }),
        )
      })
    }
    return send(1)
  }

  const serve = (request: IncomingMessage, response: ServerResponse): Eventual<void> =>
    andThen(findOrigin(request), (origin) => {
      if (request.url?.startsWith(OWN_ROUTES))
        watchBody(request, bodyPace, () => {
          if (response.headersSent) request.destroy()
          else sendFailure(request, response, fail('request_timeout'))
        })
      if (request.url === '/_svc/enter') return enterVault.enter({ request, response, origin })
      if (request.url === '/_svc/leave') return enterVault.leave({ request, response, origin })
      if (isDiagramPath(request.url ?? '')) return serveDiagram(request, response)
      if (offlineWorker.owns(request.url)) return offlineWorker.serve(request, response)
      return andThen(admit(request, origin), (admitted) =>
        admitted.route.kind === 'person'
          ? tellPerson(request, response, admitted)
          : forward(request, response, admitted),
      )
    })

  const serveUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const requestEnd = new RequestEnd()
    whenClosed(socket, () => requestEnd.end())
    const origin = await findOrigin(request)
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET')
      throw fail('invalid_request', [{ path: 'upgrade', message: 'must be websocket' }])
    if (request.headers.origin !== origin.origin) throw fail('forbidden', { reason: 'origin' })
    const { session, route } = await admit(request, origin)
    const { rawHeaders, headers: given, url: target = '/' } = request
    if (route.kind !== 'live') throw fail('not_found')

    const owner = { orgId: origin.orgId, person: session.userId }
    const admission = await limits.enter({ ...owner, end: () => requestEnd.end() })
    const unwatch = entries.watch(session, () => requestEnd.end())
    const unmeasure = queued.watch(owner, queuedByStreams(socket))
    try {
      const { connection, host = '' } = given
      const wanted = { ...owner, requestEnd }
      const found = await (route.isUnattended ? wakeQueue.findAwake(wanted) : wakeQueue.find(wanted))
      if (found === 'asleep') throw fail('daemon_offline', { reason: 'asleep' })
      const { tunnel } = found
      const assertion = await assertionFor(session) // not before: the request may have been held for long
      const headers = handshakeHeaders({ rawHeaders, connection, host, assertion })
      await forwardUpgrade({ request, socket, head, tunnel, target, headers, requestEnd, count: admission.count })
    } finally {
      unwatch()
      unmeasure()
      admission.leave()
    }
  }

  return {
    quietMs: QUIET_MS,

    /** True for a Host in the form of a vault origin, whether or not it is in use. */
    ownsHost: (host: string): boolean => origins.matches(host),

    request: (request: IncomingMessage, response: ServerResponse): void => {
      response.on('error', ignore)
      attempt(
        () => serve(request, response),
        (thrown) => sendFailure(request, response, thrown),
      )
    },

    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('error', ignore)
      serveUpgrade(request, socket, head).catch((error: unknown) => {
        const requestId = randomUUID()
        const failure = toFailure(error)
        reportFailure(log, failure, requestId)
        refuseUpgrade(socket, { thrown: failure, requestId, headers: originHeaders({ secure }) })
      })
    },
  }
}

function ignore(): void {}

/** Makes Node close a quiet connection. Our own listener sets the same timeout for all its connections. */
function limitQuiet({ socket }: IncomingMessage): void {
  if (socket.timeout !== QUIET_MS) socket.setTimeout(QUIET_MS)
}
