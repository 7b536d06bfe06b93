import { expect, test } from 'vitest'
import { addressOf, type Route } from './route-call.ts'

const cases: [string, Route, Parameters<typeof addressOf>[1], string][] = [
  ['a path without parameters', 'GET /api/settings', {}, 'GET /api/settings'],
  [
    'a parameter that looks like a path',
    'GET /api/orgs/{orgId}/api-key',
    { params: { orgId: '../a?b#c' } },
    'GET /api/orgs/..%2Fa%3Fb%23c/api-key',
  ],
  [
    'two parameters',
    'POST /api/orgs/{orgSlug}/vaults/{vaultSlug}/entry',
    { params: { orgSlug: 'acme', vaultSlug: 'notes' } },
    'POST /api/orgs/acme/vaults/notes/entry',
  ],
  [
    'a query whose empty values are left out',
    'GET /api/admin/audit',
    { query: { chain: 'platform', actor: '', cursor: undefined, limit: 50 } },
    'GET /api/admin/audit?chain=platform&limit=50',
  ],
]

test.each(cases)('addresses %s', (_what, route, input, expected) => {
  const { method, path } = addressOf(route, input)
  expect(`${method} ${path}`).toBe(expected)
})

test.each([[undefined], [{}], [{ orgId: '' }]])('refuses parameters %o: the address would be another one', (params) => {
  expect(() => addressOf('GET /api/orgs/{orgId}/api-key', { params })).toThrow('needs orgId')
})
