import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ConsentAsked, ConsentDecided, ConsentQuery, ConsentRequest } from '@svc/shared/wire/agents.api.ts'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import type { ErrorCode } from '@svc/shared/wire/errors.ts'
import { openToOrigins } from '../http/cross-origin.ts'
import { errorHandler } from '../http/error-handler.ts'
import { reportFailure, toFailure } from '../http/failures.ts'
import type { Guards, Session } from '../http/guards.ts'
import { documentedOnly } from '../http/openapi.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Consent } from './consent.ts'
import type { TokenAnswer } from './exchange-token.ts'
import { normalizeAuthorization } from './normalize-authorization.ts'
import { authorizeDocument, oauthDocuments, resourceDocument, serverDocument } from './oauth-documents.ts'
import { authorizationServer, protectedResource } from './oauth-metadata.ts'
import type { OAuthHandler } from './oauth-provider.ts'

export type OAuthRouteDeps = {
  guards: Guards
  rateLimit: RateLimit
  findSession(cookieHeader: string | undefined): Promise<Session | undefined>
}
type Deps = OAuthRouteDeps & {
  baseUrl: string
  registration: 'open' | 'off'
  handler: OAuthHandler
  consent: Consent
  resolveClient(clientId: string): Promise<void>
  register(body: unknown): Promise<object>
  exchange(form: URLSearchParams, authorization: string | undefined): Promise<TokenAnswer>
}

const FORM_BYTES = 16 * 1024
const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'
/** Clients put the endpoint's path before or after the well-known path; some clients try each variant. */
const resourcePaths = [RESOURCE, `${RESOURCE}/mcp`, `/mcp${RESOURCE}`]
const serverPaths = [SERVER, `${SERVER}/mcp`, `/mcp${SERVER}`]

/** OAuth as MCP clients use it. Everything here is for programs except `/oauth2/consent`, which our own page calls. */
export function oauthRoutes(deps: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    await app.register(async (open: FastifyInstance) => programRoutes(open, deps))
    await app.register(async (own: FastifyInstance) => pageRoutes(own, deps))
  }
}

async function programRoutes(app: FastifyInstance, { baseUrl, registration, rateLimit, ...deps }: Deps): Promise<void> {
  const documents = {
    ...oauthDocuments,
    ...Object.fromEntries(resourcePaths.map((url) => [`GET ${url}`, resourceDocument])),
    ...Object.fromEntries(serverPaths.map((url) => [`GET ${url}`, serverDocument])),
  }
  const route = openToOrigins(app, {
    methods: 'GET, POST',
    headers: 'Authorization, Content-Type, MCP-Protocol-Version',
    documents,
  })
  app.setErrorHandler(programErrorHandler)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_request: unknown, text: string) => new URLSearchParams(text),
  )
  const cached = (reply: FastifyReply) => reply.header('cache-control', 'public, max-age=300')

  for (const url of resourcePaths) route('GET', url, async (_, reply) => cached(reply).send(protectedResource(baseUrl)))
  for (const url of serverPaths)
    route('GET', url, async (_, reply) => cached(reply).send(authorizationServer(baseUrl, registration)))

  if (registration === 'open')
    route('POST', '/oauth2/register', async ({ body, clientAddress }, reply) => {
      await rateLimit({ key: 'oauth:register', client: clientAddress, max: 20, seconds: 3_600 })
      await rateLimit({ key: 'oauth:register', client: 'everybody', max: 600, seconds: 3_600 })
      const answer = await deps.register(body)
      return reply.code('error' in answer ? 400 : 201).send(answer)
    })

  route('POST', '/oauth2/token', async ({ body, headers, clientAddress }, reply) => {
    await rateLimit({ key: 'oauth:token', client: clientAddress, max: 300, seconds: 60 })
    const form = body instanceof URLSearchParams ? body : new URLSearchParams()
    const { status, body: answer } = await deps.exchange(form, headers.authorization)
    if (status === 401) reply.header('www-authenticate', 'Basic realm="svc"')
    return reply.code(status).header('pragma', 'no-cache').send(answer)
  })

  route('POST', '/oauth2/revoke', async ({ body, headers, clientAddress }, reply) => {
    await rateLimit({ key: 'oauth:token', client: clientAddress, max: 300, seconds: 60 })
    const form = body instanceof URLSearchParams ? body : new URLSearchParams()
    // The library would look for the hinted kind of token alone; all kinds are to be looked for (RFC 7009, 2.1).
    form.delete('token_type_hint')
    const { authorization } = headers
    const answered = await deps.handler(
      new Request(`${baseUrl}/oauth2/revoke`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: form.toString(),
      }),
    )
    const text = await answered.text()
    // A token that there is not, or not any more, is no error (RFC 7009, 2.2).
    const isGone = answered.status === 400 && text.includes('"error_description":"token not found"')
    return reply
      .code(isGone ? 200 : answered.status)
      .type('application/json')
      .send(isGone ? {} : text)
  })
}

/** Failures after which the same request may succeed. */
const AGAIN = new Set<ErrorCode>(['database_unavailable', 'too_many_requests'])

/** A program that cannot read an error takes its tokens for lost and asks the person again (RFC 6749, 5.2). */
function programErrorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error)
  if (!AGAIN.has(failure.code)) return errorHandler(failure, request, reply)

  reportFailure(request.log, failure, request.id)
  const { status, headers } = toHttp(failure, request.id)
  const body = { error: 'temporarily_unavailable', error_description: failure.message }
  return reply.code(status).headers(headers).send(body)
}

async function pageRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const { guards, rateLimit, findSession, handler, consent, resolveClient, baseUrl } = deps

  app.get('/oauth2/authorize', documentedOnly(authorizeDocument), async ({ url, headers, clientAddress }, reply) => {
    await rateLimit({ key: 'oauth:authorize', client: clientAddress, max: 120, seconds: 60 })
    const query = normalizeAuthorization(new URLSearchParams(url.split('?').slice(1).join('?')), baseUrl)
    const session = await findSession(headers.cookie)
    // The page signs the person in and returns here. Nothing is looked up for people without a session.
    if (session === undefined) return reply.redirect(`/connect?${query}`, 302)

    await rateLimit({ key: 'oauth:authorize', client: session.person.id, max: 60, seconds: 60 })
    await resolveClient(query.get('client_id') ?? '')
    const answered = await handler(
      new Request(`${baseUrl}/oauth2/authorize?${query}`, { headers: { cookie: headers.cookie ?? '' } }),
    )
    const location = answered.headers.get('location')
    if (location === null) return reply.redirect('/connect?error=invalid_request', 302)
    return reply.redirect(location, 302)
  })

  const typed = app.withTypeProvider<import('fastify-type-provider-zod').ZodTypeProvider>()
  typed.get(
    '/oauth2/consent',
    { onRequest: guards.signedIn, schema: { querystring: ConsentQuery, response: { 200: ConsentAsked } } },
    async ({ session, query }) => ({ ok: true as const, ...(await consent.describe(session.person.id, query)) }),
  )
  typed.post(
    '/oauth2/consent',
    { onRequest: guards.signedIn, schema: { body: ConsentRequest, response: { 200: ConsentDecided } } },
    async ({ session: { person }, body, headers, clientAddress }) => {
      await rateLimit({ key: 'oauth:consent', client: clientAddress, max: 60, seconds: 60 })
      const url = await consent.decide({ person, cookie: headers.cookie ?? '', request: body })
      return { ok: true as const, url }
    },
  )
}
