import { channel } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { authRoutes } from '../../control-plane/src/sign-in/auth-route-table.ts'
import { toolTable, type ToolDeps } from '../../daemon/src/mcp/tool-table.ts'
import { DaemonHello } from '@svc/shared/wire/tunnel-hello.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { placesOfIllFormedText } from '../support/ill-formed-text.ts'
import type { Person } from '../support/person.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'

type Schemas = Partial<Record<'body' | 'querystring' | 'params' | 'headers', z.ZodType>>
type Servers = { cp: TestControlPlane; daemon: Awaited<ReturnType<typeof startRelayedDaemon>> }

let servers: Servers
let ada: Person
/** Every route that a server of ours was given, by `METHOD url`. */
const routes = new Map<string, Schemas>()

beforeAll(async () => {
  const started = channel('fastify.initialization')
  const collect = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, schema }: RouteOptions) => {
      routes.set(`${[method].flat().join(',')} ${url}`, (schema ?? {}) as Schemas)
    })
  }
  started.subscribe(collect)
  servers = { cp: await startControlPlane(), daemon: await startRelayedDaemon() }
  started.unsubscribe(collect)
  ada = servers.cp.person()
  await ada.signUp({ email: 'ada@example.org' })
})
afterAll(async () => {
  await servers.daemon.close()
  await servers.cp.stop()
})

const places = (name: string, schema: z.ZodType | undefined) =>
  schema === undefined ? [] : placesOfIllFormedText(schema).map((place) => `${name}${place}`)

test('no schema of a route takes ill-formed text or NUL', () => {
  verifies('security.request-text')
  expect(routes.size).toBeGreaterThan(80)
  const found = [...routes].flatMap(([route, schemas]) =>
    (['body', 'querystring', 'params', 'headers'] as const).flatMap((part) =>
      places(`${route} ${part}`, schemas[part]),
    ),
  )
  expect(found).toEqual([])
})

test('none of the sign-in handler, of a tool or of a hello does', () => {
  const auth = authRoutes.flatMap(({ path, body, query, params }) =>
    [body, query, params].flatMap((schema) => places(path, schema)),
  )
  const tools = toolTable({} as ToolDeps).flatMap(({ definition: { name, input } }) => places(name, input))
  expect([...auth, ...tools, ...places('hello', DaemonHello)]).toEqual([])
})

describe.each([
  ['NUL', '\\u0000', '%00'],
  ['a lone surrogate', '\\ud800', '%ED%A0%80'],
])('%s', (_, escaped, encoded) => {
  const raw = (method: string, path: string, body?: string) =>
    servers.cp.raw(method, path, {
      headers: {
        'content-type': 'application/json',
        origin: servers.cp.origin,
        cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body,
    })

  test.each([
    ['PATCH', '/api/settings/profile', `{"name":"A${escaped}"}`],
    ['PATCH', '/api/settings/profile', `{"image":"https://example.org/${escaped}"}`],
    ['POST', '/api/provisioning/orgs/self-hosted', `{"name":"A${escaped}"}`],
    ['POST', '/api/setup/claim', `{"token":"0123456789abcdef${escaped}"}`],
    ['POST', '/api/auth/sign-up/email', `{"name":"A${escaped}","email":"b@example.org","password":"long enough"}`],
    ['POST', '/api/auth/sign-in/email', `{"email":"ada@example.org","password":"long enough${escaped}"}`],
    ['POST', '/api/auth/reset-password', `{"token":"x${escaped}","newPassword":"long enough"}`],
    ['GET', `/api/auth/callback/oidc?state=${encoded}`, undefined],
    ['GET', `/api/orgs/${encoded}/api-key`, undefined],
  ] as const)('control plane: %s %s is an invalid request, and nothing else', async (method, path, body) => {
    const answer = await raw(method, path, body)
    const failed = encoded !== '%00' && method === 'GET' ? [400, 302, 404] : [400, 404]
    expect(failed, answer.text).toContain(answer.status)
    expect(answer.text).not.toContain('internal')
  })

  test('control plane: nothing was changed or made', async () => {
    const { body } = await ada.get('/api/settings')
    expect([body.profile.name, body.profile.image, body.organizations]).toEqual(['Ada Example', null, []])
  })

  test.each([
    ['POST', '/api/vaults', `{"displayName":"A${escaped}","slug":"fresh"}`],
    ['PUT', '/api/vaults/demo-vault/notes/x.md', `{"content":"${escaped}"}`],
    [
      'PATCH',
      '/api/vaults/demo-vault/notes/README.md',
      `{"baseline":"x","edits":[{"property":"p","value":{"${escaped}":1}}]}`,
    ],
    ['GET', `/api/vaults/demo-vault/search?q=${encoded}`, undefined],
    ['GET', `/api/vaults/demo-vault/tree?path=${encoded}`, undefined],
    ['GET', `/api/vaults/demo-vault/notes/${encoded}.md`, undefined],
  ] as const)('daemon: %s %s is an invalid request', async (method, path, body) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await servers.daemon.local(path, { method, body, headers })
    const unread = encoded !== '%00' && method === 'GET' ? [200, 400, 404] : [400]
    expect(unread, JSON.stringify(answer)).toContain(answer.status)
  })
})
