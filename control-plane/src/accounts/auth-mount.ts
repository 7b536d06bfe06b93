import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { isAPIError } from 'better-auth/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ChangeInTurn } from '../db/organization-turns.ts'
import type { Session } from '../http/guards.ts'
import { cookieValues, deletesCookie, withoutCookie } from '../http/session-cookie.ts'
import { documentedOnly, type Documented } from '../http/openapi.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Checked, createAuthChecks } from './auth-checks.ts'
import { untilNextBeat } from './answer-alike.ts'
import { AuthFailure, authAnswers } from '../sign-in/auth-answers.ts'
import { authFailure } from '../sign-in/auth-failures.ts'
import type { ChangeOrganization, RecordChange } from './change-organization.ts'
import { libraryPath, type AuthLimit, type AuthRoute } from '../sign-in/auth-route.ts'
import { authRoutes } from '../sign-in/auth-route-table.ts'
import { CLIENT_ADDRESS } from '../sign-in/auth.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import type { FindSession } from './find-session.ts'
import type { RenewSession } from './renew-session.ts'
import type { SecurityNotice } from '../mail/security-notices.ts'
import type { SecondFactorsRepository } from './second-factors.repository.ts'
import type { GuardSignIn } from './guard-sign-in.ts'

type Deps = {
  handler: (request: Request) => Promise<Response>
  baseUrl: string
  cookieName: string
  findSession: FindSession
  /** Undefined if the account is gone. */
  findPerson(userId: string): Promise<object | undefined>
  checks: ReturnType<typeof createAuthChecks>
  renewSession: RenewSession
  guardSignIn: GuardSignIn
  rateLimit: RateLimit
  admitPassword: Passwords['admit']
  endMailedLinks(userId: string): Promise<void>
  changeOrganization: ChangeOrganization
  changeInTurn: ChangeInTurn
  /** The organization that a body names; undefined if there is none. */
  organizationOf(body: Record<string, unknown>): Promise<string | undefined>
  secondFactors: Pick<SecondFactorsRepository, 'claimCode' | 'deleteSession'>
  sendNotice(notice: SecurityNotice, to: string): void
  clock: Clock
}

const PREFIX = '/api/auth'
const BODY_LIMIT = 64 * 1024

/** Calls in a window: by one client, and about one e-mail address. */
const limits: Record<AuthLimit, { client: number; address: number; seconds: number }> = {
  mail: { client: 20, address: 5, seconds: 600 },
  password: { client: 30, address: 15, seconds: 300 },
  change: { client: 120, address: 60, seconds: 60 },
  read: { client: 600, address: 600, seconds: 60 },
}

/** Mounts the allowed routes of the sign-in handler, with rate limits, validation and checks in front of it. */
export function authMount(deps: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    for (const route of authRoutes)
      app.route({
        method: route.method,
        url: PREFIX + route.path,
        bodyLimit: BODY_LIMIT,
        ...documentedOnly(documentOf(route)),
        handler: (request, reply) => answer(route, { ...deps, request, reply }),
      })
  }
}

/** The OpenAPI description of a route. Handlers of the library validate and respond by themselves. */
const documentOf = ({ path, params, query, body }: AuthRoute): Documented => ({
  ...(params === undefined ? {} : { params }),
  ...(query === undefined ? {} : { querystring: query }),
  ...(body === undefined ? {} : { body }),
  response: {
    ...(authAnswers[path] === undefined
      ? { 302: z.null().describe('To a page of the app.') }
      : { 200: authAnswers[path] }),
    default: AuthFailure,
  },
})

type Exchange = Deps & { request: FastifyRequest; reply: FastifyReply }

async function answer(route: AuthRoute, exchange: Exchange): Promise<FastifyReply> {
  const { cookieName, findSession, renewSession, rateLimit, clock, request, reply } = exchange
  const began = clock.monotonic()
  const limit = limits[route.limit]
  await rateLimit({
    key: `auth:${route.path}`,
    client: request.clientAddress,
    max: limit.client,
    seconds: limit.seconds,
  })

  const address = addressOf(route, request)
  const given = route.body === undefined ? {} : (parseOrFail(route.body, request.body ?? {}) as Record<string, unknown>)
  const email = given['email']
  if (typeof email === 'string')
    await rateLimit({ key: `auth:${route.path}`, client: email, max: limit.address, seconds: limit.seconds })
  const session = route.check === undefined ? undefined : await findSession(request.headers.cookie)
  if (route.check !== undefined && session === undefined) throw fail('unauthenticated')
  const answered = await changed({ route, address, given, session }, exchange)
  const text = await answered.text()
  if (route.alike === 'always' || (route.alike === 'failures' && !answered.ok)) await untilNextBeat(clock, began)
  const answer = readJson(text)
  const failure = authFailure(answered.status, answer)
  if (failure !== undefined) throw failure
  const { user, token } = Person.safeParse(answer).data ?? {}
  if (route.usesMailedLink === true && user !== undefined) await exchange.endMailedLinks(user.id)
  if (route.usesCode === true && user !== undefined)
    await spendCode({ userId: user.id, code: String(given['code']), token }, exchange)
  const told = session?.person.email ?? user?.email
  if (route.notice !== undefined && answered.ok && told !== undefined) exchange.sendNotice(route.notice, told)

  reply.code(answered.status)
  for (const cookie of answered.headers.getSetCookie())
    if (route.endsSession === true || !expires(cookie, cookieName)) reply.header('set-cookie', cookie)
  if (route.gainsRights === true && answered.ok && session !== undefined) await renewSession(session.id, reply)
  for (const name of ['content-type', 'location']) {
    const value = answered.headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  reply.header('cache-control', 'no-store')
  if (cookieValues(request.headers.cookie, cookieName).length > 1) request.log.warn('two session cookies came at once')
  return reply.send(text)
}

type Asked = { route: AuthRoute; address: Address; given: Record<string, unknown>; session: Session | undefined }

/** Checks a request and lets it be answered: a change of an organization while nobody else changes that one. */
async function changed(asked: Asked, exchange: Exchange): Promise<Response> {
  const { route, given } = asked
  const orgId = route.event === undefined ? undefined : await exchange.organizationOf(given)
  return exchange.changeInTurn(orgId === undefined ? [] : [orgId], () => checkedAnswer(asked, exchange))
}

async function checkedAnswer({ route, address, given, session }: Asked, exchange: Exchange): Promise<Response> {
  const { body, orgId, ...checked }: Checked =
    route.check === undefined || session === undefined
      ? { body: given }
      : await exchange.checks(route.check, given, session)

  const ask = () => exchange.handler(toWebRequest(route, { ...address, body }, exchange))
  const forward = async () => {
    const answered = await ask().catch((error: unknown) => ({ error }))
    if ('ok' in answered && answered.ok) return answered
    // The handler fails in several ways when the account is deleted while it works.
    if (session !== undefined && (await exchange.findPerson(session.person.id)) === undefined)
      throw fail('unauthenticated')
    if ('ok' in answered) return answered
    if (isAPIError(answered.error)) throw fail('invalid_request', [{ path: '', message: answered.error.message }])
    throw answered.error
  }
  const handOn = (record: RecordChange) => checked.answer?.({ forward, record }) ?? forward()
  if (route.event !== undefined && orgId !== undefined && session !== undefined)
    return exchange.changeOrganization({ event: route.event, orgId, session, body }, handOn)
  const call = () => handOn(unrecorded)
  const signIn = () => (route.signsIn !== undefined ? exchange.guardSignIn(call) : call())
  return takesPassword(given) ? exchange.admitPassword(signIn) : signIn()
}

const unrecorded: RecordChange = async () => {}

/**
 * Whether a Set-Cookie line deletes the cookie of that name. The handler deletes the session cookie of a session that
 * it does not find. If another request has just replaced that session, the deletion would reach the browser after the
 * new cookie.
 */
const expires = (line: string, name: string) => line.startsWith(`${name}=`) && deletesCookie(line)

const takesPassword = (body: Record<string, unknown>) => 'password' in body || 'newPassword' in body

/** What a response of the handler says: the person, and the session that it created. */
const Person = z.object({
  user: z.object({ id: z.string(), email: z.string() }).optional(),
  token: z.string().optional(),
})

type Spent = { userId: string; code: string; token: string | undefined }

/** Consumes a code. If it was used before, ends the session that the handler has just created. */
async function spendCode({ userId, code, token }: Spent, { secondFactors }: Exchange): Promise<void> {
  if (await secondFactors.claimCode(userId, code)) return
  if (token !== undefined) await secondFactors.deleteSession(token)
  throw fail('code_invalid')
}

type Address = { path: string; query: Record<string, string | undefined> }

/** The URL for the handler: a path of our own table with listed words only. */
function addressOf(route: AuthRoute, { params, query }: FastifyRequest): Address {
  const words = route.params?.safeParse(params)
  if (words?.success === false) throw fail('not_found')
  return {
    path: libraryPath(route).replace(/:(\w+)/g, (_, name: string) => words?.data[name] ?? ''),
    query: route.query === undefined ? {} : parseOrFail(route.query, query),
  }
}

type HandedOn = Address & { body: Record<string, unknown> }

/** The request that the handler gets: our URL, the client address that we determined, at most one session cookie. */
function toWebRequest(route: AuthRoute, { path, query, body }: HandedOn, { baseUrl, cookieName, request }: Exchange) {
  const headers = new Headers({ origin: baseUrl, [CLIENT_ADDRESS]: request.clientAddress })
  const agent = request.headers['user-agent']
  if (agent !== undefined) headers.set('user-agent', agent)
  const cookie = request.headers.cookie ?? ''
  const isDropped = route.withoutSession === true || cookieValues(cookie, cookieName).length > 1
  const kept = isDropped ? withoutCookie(cookie, cookieName) : cookie
  if (kept !== '') headers.set('cookie', kept)

  const url = new URL(PREFIX + path, baseUrl)
  for (const [name, value] of Object.entries(route.as === 'query' ? body : query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  if (route.method === 'GET' || route.as === 'query') return new Request(url, { method: 'GET', headers })
  headers.set('content-type', 'application/json')
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
