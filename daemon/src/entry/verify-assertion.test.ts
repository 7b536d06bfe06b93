import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { assertionTypes, type VerificationKey } from '@svc/shared/wire/assertions.ts'
import { verifies } from '../../../test/requirements.ts'
import type { TunnelContext } from './tunnel-context.ts'
import { createVerifyAssertion } from './verify-assertion.ts'

const ORG = `org_${'a'.repeat(24)}`
const DAEMON = `dmn_${'b'.repeat(24)}`
const USER = `usr_${'c'.repeat(24)}`
const NOW = new Date('2026-01-01T00:00:00Z')
const seconds = NOW.getTime() / 1000

function keyPair(kid: string, use: 'request' | 'service' | 'entry') {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = String(publicKey.export({ format: 'jwk' }).x)
  return { privateKey, published: { kid, kty: 'OKP', crv: 'Ed25519', x, uses: [use] } satisfies VerificationKey }
}
const request = keyPair('r', 'request')
const service = keyPair('s', 'service')
const personal = { aud: DAEMON, sub: USER, org: ORG, vaults: ['v'], role: 'member', name: 'N', sid: 's' }

type Given = {
  claims?: object
  typ?: string
  kid?: string
  alg?: string
  key?: typeof request.privateKey
  iss?: string
  exp?: number
}
const sign = ({
  claims = personal,
  typ = assertionTypes.request,
  kid = 'r',
  key = request.privateKey,
  iss = 'https://cp',
  exp = seconds + 30,
}: Given = {}) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ, kid })
    .setIssuer(iss)
    .setIssuedAt(seconds)
    .setExpirationTime(exp)
    .sign(key)

function setUp(keys: VerificationKey[] = [request.published, service.published]) {
  const time = { now: NOW }
  const state = { keys, refreshed: 0, onRefresh: () => {} }
  const context: TunnelContext = {
    issuer: 'https://cp',
    orgId: ORG,
    daemonId: DAEMON,
    connectionId: 'c',
    keys: () => state.keys,
    refreshKeys: async () => {
      state.refreshed += 1
      state.onRefresh()
    },
  }
  return { time, state, context, verify: createVerifyAssertion({ clock: { now: () => time.now } }) }
}

describe('an assertion', () => {
  it('names a person or the platform', async () => {
    const { verify, context } = setUp()
    expect(await verify(await sign(), context)).toMatchObject({ kind: 'person', claims: { sub: USER, vaults: ['v'] } })
    const claims = { aud: DAEMON, org: ORG, act: { system: 'x' }, scope: 'flush' }
    const text = await sign({ claims, typ: assertionTypes.service, kid: 's', key: service.privateKey })
    expect(await verify(text, context)).toMatchObject({ kind: 'service', claims: { scope: 'flush' } })
  })

  it.each<[string, Given]>([
    ['another audience', { claims: { ...personal, aud: `dmn_${'z'.repeat(24)}` } }],
    ['another organization', { claims: { ...personal, org: `org_${'z'.repeat(24)}` } }],
    ['another issuer', { iss: 'https://evil' }],
    ['an end that is past', { exp: seconds - 6 }],
    ['no vault', { claims: { ...personal, vaults: [] } }],
    ['the kind of an entry', { typ: assertionTypes.entry }],
    ['no kind', { typ: 'JWT' }],
    [
      'the request key under the service kind',
      { typ: assertionTypes.service, claims: { aud: DAEMON, org: ORG, act: { system: 'x' }, scope: 'flush' } },
    ],
    ['the service key under the request kind', { kid: 's', key: service.privateKey }],
    ['the signature of another key', { key: service.privateKey }],
    ['an unknown key', { kid: 'unknown' }],
  ])('is refused with %s', async (_what, given) => {
    verifies('security.assertion-keys')
    const { verify, context } = setUp()
    await expect(verify(await sign(given), context)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it.each(['', 'x', 'a.b.c', `${'a'.repeat(9_000)}.b.c`])('is refused when it is no token: %#', async (text) => {
    const { verify, context } = setUp()
    await expect(verify(text, context)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is refused without a signature or with a symmetric one', async () => {
    verifies('security.assertion-keys')
    const { verify, context } = setUp()
    const body = (await sign()).split('.')[1]
    const head = (alg: string) =>
      Buffer.from(JSON.stringify({ alg, typ: assertionTypes.request, kid: 'r' })).toString('base64url')
    for (const text of [`${head('none')}.${body}.`, `${head('HS256')}.${body}.AAAA`])
      await expect(verify(text, context)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is remembered by its text until it ends, or its key goes', async () => {
    verifies('security.assertion-keys')
    const { verify, context, time, state } = setUp()
    const text = await sign()
    expect(await verify(text, context)).toBe(await verify(text, context))
    state.keys = [service.published]
    await expect(verify(text, context)).rejects.toMatchObject({ code: 'unauthenticated' })
    state.keys = [request.published]
    time.now = new Date(NOW.getTime() + 36_000)
    await expect(verify(text, context)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('with a new key makes the daemon ask for the keys', async () => {
    const { verify, context, state } = setUp([])
    state.onRefresh = () => (state.keys = [request.published])
    expect(await verify(await sign(), context)).toMatchObject({ kind: 'person' })
    expect(state.refreshed).toBe(1)
  })
})
