import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { mcpRoutes } from './mcp.routes.ts'

const grant = { user_id: 'usr_a', client_id: 'c1' }

/** The endpoint, for which `known` is the only token. */
async function setUp() {
  const app = Fastify()
  const deps = {
    baseUrl: 'http://localhost',
    endpoint: 'http://localhost/mcp',
    rights: { findByAccessToken: async () => undefined, isIssued: async () => false },
    servePost: async (_request: unknown, reply: { send(body: unknown): unknown }) => reply.send({ served: true }),
    streams: { endAll: () => {} },
    sessions: { isFormed: () => false },
    rateLimit: async () => {},
    clock: { now: () => new Date() },
    maxBodyBytes: 1_000,
  }
  const known = { ...deps, rights: { findByAccessToken: async () => ({ grant, hasEndedSession: false }) } }
  return { app, anonymous: mcpRoutes(deps as never), known: mcpRoutes(known as never) }
}

test.each([
  ['without a token', undefined],
  ['with a wrong token', 'Bearer wrong'],
])('the body of a message %s is not read', async (_what, authorization) => {
  const { app, anonymous } = await setUp()
  await app.register(anonymous as never)
  let asked = 0
  const payload = new Readable({ read: () => void (asked += 1), highWaterMark: 1 })
  payload.push('{')
  const { statusCode, headers } = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'application/json', 'content-length': '999', ...(authorization && { authorization }) },
    payload,
  })
  expect(statusCode).toBe(401)
  expect(headers['www-authenticate']).toContain('Bearer')
  expect(asked).toBe(0)
})

test('preflights need no token; a known caller is served, within the limit of a body', async () => {
  const { app, known } = await setUp()
  await app.register(known as never)
  expect(await app.inject({ method: 'OPTIONS', url: '/mcp' })).toMatchObject({ statusCode: 204 })
  const post = (text: string) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json', authorization: 'Bearer known' },
      payload: text,
    })
  expect((await post('{}')).json()).toEqual({ served: true })
  expect(await post(`"${'a'.repeat(1_000)}"`)).toMatchObject({ statusCode: 413 })
})
