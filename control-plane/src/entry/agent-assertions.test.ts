import { expect, test } from 'vitest'
import { createAgentAssertions } from './agent-assertions.ts'

const claims = {
  sub: 'usr_ada',
  name: 'Ada',
  role: 'member' as const,
  agent: { client: 'Archivist', integration: 'local', scopes: ['read' as const, 'write' as const] },
  orgId: 'org_acme',
  daemonId: 'dmn_acme',
}

function setUp() {
  let nowMs = 0
  const signed: Record<string, unknown>[] = []
  const state = { fails: false }
  const assertionOf = createAgentAssertions({
    clock: { now: () => new Date(nowMs) },
    sign: async (payload) => {
      if (state.fails) throw new Error('no key')
      signed.push(payload)
      return { text: `token-${signed.length}`, expiresAt: new Date(nowMs + 30_000) }
    },
  })
  return { assertionOf, signed, state, pass: (ms: number) => void (nowMs += ms) }
}

test('equal claims share an assertion until shortly before it expires', async () => {
  const { assertionOf, signed, pass } = setUp()
  expect(await assertionOf(claims)).toBe('token-1')
  pass(19_000)
  expect(await assertionOf({ ...claims })).toBe('token-1')
  pass(2_000)
  expect(await assertionOf(claims)).toBe('token-2')
  expect(signed).toHaveLength(2)
})

test.each<[string, Partial<typeof claims> & { vaults?: string[] }]>([
  ['another person', { sub: 'usr_ben' }],
  ['another role', { role: 'admin' as never }],
  ['another organization', { orgId: 'org_other' }],
  ['another daemon', { daemonId: 'dmn_other' }],
  ['fewer vaults', { vaults: ['v'] }],
  ['fewer rights', { agent: { ...claims.agent, scopes: ['read'] } }],
  ['another program', { agent: { ...claims.agent, client: 'Other' } }],
])('%s gets another one at once', async (_what, difference) => {
  const { assertionOf, signed } = setUp()
  await assertionOf(claims)
  expect(await assertionOf({ ...claims, ...difference })).toBe('token-2')
  expect(signed[1]).not.toEqual(signed[0])
})

test('a signature that failed is tried again', async () => {
  const { assertionOf, state } = setUp()
  state.fails = true
  await expect(assertionOf(claims)).rejects.toThrow('no key')
  state.fails = false
  expect(await assertionOf(claims)).toBe('token-1')
})
