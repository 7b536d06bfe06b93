import { describe, expect, test } from 'vitest'
import type { EntrySession } from './entry-secret.ts'
import { verifies } from '../../../test/requirements.ts'
import { heldBytes } from '../../../test/support/cpu-time.ts'
import type { Revocation } from './revocation.ts'
import { createAgentAssertions, createRequestAssertions } from './kept-assertions.ts'

const call = {
  sub: 'usr_ada',
  name: 'Ada',
  role: 'member' as const,
  agent: { client: 'Archivist', integration: 'local', scopes: ['read' as const, 'write' as const] },
  orgId: 'org_acme',
  daemonId: 'dmn_acme',
}

const session: EntrySession = {
  key: 'a'.repeat(64),
  publicId: 'ent_1',
  userId: 'usr_ada',
  sessionId: 'ses_1',
  orgId: 'org_acme',
  daemonId: 'dmn_acme',
  name: 'Ada',
  role: 'member',
  vaults: ['diary'],
  expiresAt: new Date(10_000_000),
}

/** A signer whose assertions last 30 seconds, on a clock that only `pass` moves. */
function setUp() {
  let nowMs = 0
  const signed: Record<string, unknown>[] = []
  const state = { fails: false, padding: () => '' }
  const listeners: ((revocation: Revocation) => void)[] = []
  const options = {
    clock: { now: () => new Date(nowMs) },
    onRevocation: (listener: (revocation: Revocation) => void) => void listeners.push(listener),
    sign: async (payload: Record<string, unknown>) => {
      if (state.fails) throw new Error('no key')
      signed.push(payload)
      return { text: `token-${signed.length}${state.padding()}`, expiresAt: new Date(nowMs + 30_000) }
    },
  }
  const [agents, requests] = [createAgentAssertions(options), createRequestAssertions(options)]
  const revoke = (kind: Revocation['kind']) => listeners.forEach((listener) => listener({ kind, subject: 'all' }))
  return { agents, requests, signed, state, revoke, pass: (ms: number) => void (nowMs += ms) }
}
type Kept = ReturnType<typeof setUp>

describe.each<[string, (kept: Kept) => string | Promise<string>]>([
  ['agent', ({ agents }) => agents({ ...call })],
  ['entry session', ({ requests }) => requests({ ...session })],
])('the assertion of an %s', (_subject, ask) => {
  test('is the same until shortly before it expires', async () => {
    const kept = setUp()
    expect(await ask(kept)).toBe('token-1')
    kept.pass(19_000)
    expect(await ask(kept)).toBe('token-1')
    kept.pass(2_000)
    expect(await ask(kept)).toBe('token-2')
    expect(kept.signed).toHaveLength(2)
  })

  test('is known at once after the first time', async () => {
    const kept = setUp()
    const first = ask(kept)
    expect(first).toBeInstanceOf(Promise)
    await first
    expect(ask(kept)).toBe('token-1')
  })

  test('is signed once for those who ask at the same time', async () => {
    const kept = setUp()
    expect(await Promise.all([ask(kept), ask(kept), ask(kept)])).toEqual(['token-1', 'token-1', 'token-1'])
    expect(kept.signed).toHaveLength(1)
  })

  test('is signed again after the signing keys were replaced at once, also where it was being signed', async () => {
    verifies('signing-keys.withdrawal')
    const kept = setUp()
    await ask(kept)
    kept.revoke('user')
    expect(await ask(kept)).toBe('token-1')
    kept.revoke('signing_keys')
    const former = ask(kept)
    kept.revoke('signing_keys')
    expect(await Promise.all([former, ask(kept)])).toEqual(['token-2', 'token-3'])
    expect(await ask(kept)).toBe('token-3')
    expect(kept.signed).toHaveLength(3)
  })

  test('is asked for again after its signature failed', async () => {
    const kept = setUp()
    kept.state.fails = true
    await expect(ask(kept)).rejects.toThrow('no key')
    kept.state.fails = false
    expect(await ask(kept)).toBe('token-1')
  })
})

test.each<[string, Partial<typeof call> & { vaults?: string[] }]>([
  ['another person', { sub: 'usr_ben' }],
  ['another role', { role: 'admin' as never }],
  ['another organization', { orgId: 'org_other' }],
  ['another daemon', { daemonId: 'dmn_other' }],
  ['fewer vaults', { vaults: ['v'] }],
  ['fewer rights', { agent: { ...call.agent, scopes: ['read'] } }],
  ['another program', { agent: { ...call.agent, client: 'Other' } }],
])('an agent that calls for %s gets another one at once', async (_what, difference) => {
  const { agents, signed } = setUp()
  await agents(call)
  expect(await agents({ ...call, ...difference })).toBe('token-2')
  expect(signed[1]).not.toEqual(signed[0])
})

test.each<[string, Partial<EntrySession>]>([
  ['another session', { key: 'b'.repeat(64) }],
  ['a session that was admitted to one more vault', { vaults: ['diary', 'work'] }],
  ['a session with another vault in place of the oldest', { vaults: ['work'] }],
])('%s gets another one at once', async (_what, difference) => {
  const { requests, signed } = setUp()
  await requests(session)
  expect(await requests({ ...session, ...difference })).toBe('token-2')
  expect(signed[1]!.vaults).toEqual(difference.vaults ?? session.vaults)
})

test('no more than 20,000 are kept', async () => {
  const { requests, signed } = setUp()
  for (let index = 0; index <= 20_000; index += 1) await requests({ ...session, key: `${index}` })
  expect(await requests({ ...session, key: '20000' })).toBe('token-20001')
  expect(await requests({ ...session, key: '0' })).toBe('token-20002')
  expect(signed).toHaveLength(20_002)
})

const MB = 1024 * 1024

test('no more than 32 MB are kept', async () => {
  const { requests, signed, state } = setUp()
  state.padding = () => '.'.repeat(MB)
  for (let index = 0; index < 40; index += 1) await requests({ ...session, key: `${index}` })
  for (let index = 39; index >= 9; index -= 1) await requests({ ...session, key: `${index}` })
  expect(signed).toHaveLength(40)
  await requests({ ...session, key: '0' })
  expect(signed).toHaveLength(41)
})

test('expired ones leave with the next one', async () => {
  const { requests, state, pass } = setUp()
  state.padding = () => Buffer.alloc(MB, '.').toString('latin1')
  for (let index = 0; index < 20; index += 1) await requests({ ...session, key: `${index}` })
  const full = heldBytes()
  pass(31_000)
  await requests({ ...session, key: 'next' })
  expect(full - heldBytes()).toBeGreaterThan(15 * MB)
})
