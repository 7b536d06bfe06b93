import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { assertionTypes, MAX_ASSERTION_LENGTH } from '@svc/shared/wire/assertions.ts'
import { verifies } from '../../../test/requirements.ts'
import {
  bytesOfVaults,
  firstThatFit,
  MAX_VAULTS_BYTES,
  mintAgentAssertion,
  mintEntryAssertion,
  mintRequestAssertion,
} from './mint-assertion.ts'
import type { Signer } from './signing-keys.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const sign: Signer = async (claims) => {
  const text = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', typ: assertionTypes.request, kid: 'k'.repeat(43) })
    .setIssuer(`https://${'a'.repeat(63)}.example.net`)
    .setIssuedAt(1_800_000_000)
    .setExpirationTime(1_800_000_030)
    .sign(privateKey)
  return { text, expiresAt: new Date(0) }
}
const id = (prefix: string) => prefix + 'a'.repeat(24)

test('a daemon accepts the assertion with the longest names and as many vaults as one may name', async () => {
  verifies('agents.many-vaults')
  const vaults = firstThatFit(Array.from({ length: 1_000 }, (_, at) => String(at).padStart(20, 'v')))
  expect(vaults.length).toBeGreaterThan(150)
  const address = `https://program.example.org/${'p'.repeat(472)}`
  const { text } = await mintAgentAssertion(sign, {
    daemonId: id('svc_dmn_'),
    orgId: id('org_'),
    sub: id('usr_') as `usr_${string}`,
    name: '漢'.repeat(100),
    role: 'member',
    vaults,
    agent: { client: '𠀀'.repeat(60), integration: address, registration: address, scopes: ['read', 'write'] },
  })
  expect(text.length).toBeLessThanOrEqual(MAX_ASSERTION_LENGTH)
})

test.each([
  ['', 'Somebody without a name'],
  [' ', 'Somebody without a name'],
  ['Eve', 'Eve'],
])('a daemon, which keeps the names of authors for good, is told of %j as %s', async (name, told) => {
  const [orgId, daemonId] = [id('org_'), id('svc_dmn_')]
  const user = { id: id('usr_'), name }
  const agent = { client: 'c', integration: 'local', registration: 'r', scopes: ['read' as const] }
  const minted = await Promise.all([
    mintEntryAssertion(sign, {
      vaultOrigin: 'https://v.example',
      user,
      sessionId: 's',
      orgId,
      daemonId,
      vault: 'v',
      role: 'member',
    }),
    mintRequestAssertion(sign, {
      name,
      userId: user.id,
      orgId,
      daemonId,
      vaults: ['v'],
      role: 'member',
      publicId: 's',
    } as never),
    mintAgentAssertion(sign, { sub: user.id as `usr_${string}`, name, role: 'member', agent, orgId, daemonId }),
  ])
  expect(minted.map(({ text }) => decodeJwt(text)['name'])).toEqual([told, told, told])
})

test.each<[string, string[]]>([
  ['short names', ['one', 'two', 'three']],
  ['names of several bytes and with quotes', ['Büro', '日記', 'a "quoted" one']],
])('the bytes of %s are those in the claims', (_what, vaults) => {
  expect(bytesOfVaults(vaults)).toBe(Buffer.byteLength(JSON.stringify(vaults)))
})

test('the first vaults fit, up to the one that does not', () => {
  expect(firstThatFit(['a', 'b'])).toEqual(['a', 'b'])
  const exact = 'x'.repeat(MAX_VAULTS_BYTES - bytesOfVaults(['a', '']))
  expect(firstThatFit(['a', exact])).toEqual(['a', exact])
  expect(firstThatFit(['a', `${exact}x`, 'b'])).toEqual(['a'])
})
