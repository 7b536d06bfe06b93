import { expect, test } from 'vitest'
import { decideAccess, type IntegrationFacts, type RuleFacts } from './decide-access.ts'

const now = new Date('2026-03-01T00:00:00Z')
const later = new Date('2026-04-01T00:00:00Z')
const key = 'https://agent.example/callback'
const origin = 'https://agent.example'
const row = (change: Partial<IntegrationFacts> = {}): IntegrationFacts => ({
  key,
  state: 'approved',
  canWrite: true,
  expiresAt: later,
  ...change,
})
const blocked = (of: string): RuleFacts => ({ key: of, verdict: 'blocked' })
const allowed = (of: string): RuleFacts => ({ key: of, verdict: 'allowed' })

test.each<[string, IntegrationFacts[], RuleFacts[], string]>([
  ['nobody asked for it', [], [], 'unknown'],
  ['it was asked for', [row({ state: 'requested', expiresAt: null })], [], 'requested'],
  ['it is approved', [row()], [], 'approved'],
  ['its time is over', [row({ expiresAt: now })], [], 'expired'],
  ['it is paused', [row({ state: 'paused' })], [], 'paused'],
  ['it was revoked', [row({ state: 'revoked' })], [], 'revoked'],
  ['its site is approved', [row({ key: origin })], [], 'approved'],
  ['its site is approved and it asked before', [row({ state: 'requested' }), row({ key: origin })], [], 'approved'],
  ['its time is over and its site approved', [row({ expiresAt: now }), row({ key: origin })], [], 'approved'],
  [
    'its time is over and its site was asked for',
    [row({ expiresAt: now }), row({ key: origin, state: 'requested' })],
    [],
    'expired',
  ],
  ['it is revoked and its site approved', [row({ state: 'revoked' }), row({ key: origin })], [], 'revoked'],
  ['another one is approved', [row({ key: 'https://agent.example/other' })], [], 'unknown'],
  ['the platform blocks it', [row()], [blocked(key)], 'blocked'],
  ['the platform blocks its site', [row()], [blocked(origin)], 'blocked'],
  ['the platform blocks another one', [row()], [blocked('local')], 'approved'],
  ['the platform allows others alone', [row()], [allowed('local')], 'blocked'],
  ['the platform allows its site', [row()], [allowed('local'), allowed(origin)], 'approved'],
  ['a block stands against an allowed site', [row()], [blocked(key), allowed(origin)], 'blocked'],
])('%s', (_sentence, integrations, rules, standing) => {
  expect(decideAccess({ keys: [key, origin], integrations, rules, now }).standing).toBe(standing)
})

test('a local program has no site that could stand for it', () => {
  const integrations = [row({ key: origin })]
  expect(decideAccess({ keys: ['local'], integrations, rules: [], now }).standing).toBe('unknown')
})
