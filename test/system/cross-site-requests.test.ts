import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'

type Schema = { properties?: Record<string, unknown>; anyOf?: Schema[] }
type Operation = { requestBody?: { content: Record<string, { schema?: Schema; example?: Record<string, unknown> }> } }
type Documented = { method: string; path: string; operation: Operation }

/** Programs call these from anywhere, and they read no cookie. */
const CROSS_ORIGIN = ['POST /oauth2/token', 'POST /oauth2/revoke', 'POST /oauth2/register', 'POST /mcp', 'DELETE /mcp']
const ELSEWHERE = [
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
]

const FOREIGN_SIGNS: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
]

const operatorOrg = newId('org_')
let cp: TestControlPlane
let root: Person
let unsafe: Documented[]

// A system admin has every right, so only the origin can be the reason for a refusal.
beforeAll(async () => {
  cp = await startControlPlane({ environment: { MCP_ENABLED: '1', OPERATOR_ORG: operatorOrg } })
  root = cp.person()
  await root.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, root)
  const { body } = await root.get('/api/openapi.json')
  unsafe = Object.entries(body.paths as Record<string, Record<string, Operation>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .filter(({ method }) => method !== 'GET')
})
afterAll(() => cp?.stop())

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, operatorOrg)
const cookie = () => [...root.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const json = { 'content-type': 'application/json' }

test('a page elsewhere can cause no request that changes something, on any route', async () => {
  verifies('security.csrf')
  expect(unsafe.length).toBeGreaterThan(60)
  const passed: string[] = []
  for (const { method, path } of unsafe) {
    for (const signs of FOREIGN_SIGNS) {
      const answer = await cp.raw(method, filled(path), {
        headers: { ...json, cookie: cookie(), ...signs },
        body: '{}',
      })
      if (answer.status !== 403 || answer.body?.error?.details?.reason !== 'cross_site_request')
        passed.push(`${method} ${path}`)
    }
  }
  expect([...new Set(passed)].toSorted()).toEqual(CROSS_ORIGIN.toSorted())
  expect((await root.get('/api/settings')).status, 'the session still lives').toBe(200)

  for (const [method = '', path = ''] of CROSS_ORIGIN.map((route) => route.split(' '))) {
    const sent = { headers: { ...json, origin: 'https://evil.example' }, body: '{}' }
    const without = await cp.raw(method, path, sent)
    const withCookie = await cp.raw(method, path, { ...sent, headers: { ...sent.headers, cookie: cookie() } })
    expect(withCookie.status, `${method} ${path}`).toBe(without.status)
    expect(withCookie.status).toBeGreaterThanOrEqual(400)
  }
})

test('no field of a request leads to another host', async () => {
  verifies('security.open-redirect')
  const fields = unsafe.flatMap(({ method, path, operation }) => {
    const { schema, example } = operation.requestBody?.content['application/json'] ?? {}
    return Object.keys(schema?.properties ?? {})
      .filter((name) => /url$|redirectTo$|^next$/i.test(name))
      .map((name) => ({ method, path, name, example: example ?? {} }))
  })
  expect(fields.map(({ path, name }) => `${path} ${name}`)).toContain('/api/auth/sign-up/email callbackURL')
  expect(fields.length).toBeGreaterThan(6)
  const taken: string[] = []
  for (const { method, path, name, example } of fields)
    for (const address of ELSEWHERE) {
      const { status, body } = await root.send(method, filled(path), { body: { ...example, [name]: address } })
      const problems = (body?.error?.details ?? []) as { path: string }[]
      if (status !== 400 || !problems.some((problem) => problem.path === name))
        taken.push(`${method} ${path} ${name} ${address}`)
    }
  expect(taken).toEqual([])
})
