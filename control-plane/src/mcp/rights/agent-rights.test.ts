import { expect, test } from 'vitest'
import { accessTo } from './agent-rights.ts'

const now = new Date('2026-01-01T00:00:00Z')
const site = { key: 'https://chat.example', state: 'approved' as const, canWrite: true, expiresAt: null }
const exact = { ...site, key: 'https://chat.example/connector/1', state: 'paused' as const }
const grant = { integration_key: exact.key, rules: [] }

test.each([
  ['nothing', [], { standing: 'unknown' }],
  ['its address', [exact], { standing: 'paused' }],
  ['its site', [site], { standing: 'approved', canWrite: true, key: site.key }],
  ['both', [site, exact], { standing: 'paused' }],
  ['the beginning of its name alone', [{ ...site, key: 'https://chat.exam' }], { standing: 'unknown' }],
])('an organization that decided about %s of a program', (_what, integrations, access) => {
  expect(accessTo({ grant, organization: { integrations }, now })).toEqual(access)
})

test('a rule of the platform about its site comes first', () => {
  const blocked = { ...grant, rules: [{ key: site.key, verdict: 'blocked' as const }] }
  expect(accessTo({ grant: blocked, organization: { integrations: [site] }, now })).toEqual({ standing: 'blocked' })
})
