import { expect, test } from 'vitest'
import { readClientProof } from './client-proof.ts'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const assertionOf = (claims: unknown) => `${encoded({ alg: 'ES256' })}.${encoded(claims)}.c2lnbmF0dXJl`
const client = 'https://agent.example/client.json'

test.each<[string, object]>([
  ['its subject', { sub: client, iss: client, jti: 'a' }],
  ['its subject, also beside another issuer', { sub: client, iss: 'https://other.example/client.json', jti: 'a' }],
  ['its issuer, if it has no subject', { iss: client, jti: 'a' }],
])('an assertion names the client by %s', (_what, claims) => {
  expect(readClientProof(assertionOf(claims))).toMatchObject({ clientId: client })
})

test('each assertion of a client has a row of its own', () => {
  const [one, same, other, without] = [{ jti: 'a' }, { jti: 'a' }, { jti: 'b' }, {}].map(
    (claims) => readClientProof(assertionOf({ sub: client, ...claims }))?.row,
  )
  expect(one).toMatch(/^[\w-]{32}$/)
  expect(one).toBe(same)
  expect(one).not.toBe(other)
  expect(without).toBeUndefined()
})

test.each<[string, string | null]>([
  ['nothing', null],
  ['an empty text', ''],
  ['dots', '..'],
  ['one part', 'a'],
  ['what is no JSON', 'a.Ww.b'],
  ['no object', assertionOf([client])],
  ['null', assertionOf(null)],
  ['a subject that is no text', assertionOf({ sub: { toString: client }, iss: client })],
  ['a subject that the database does not take', assertionOf({ sub: 'a\u0000b' })],
  ['half a character', assertionOf({ sub: '\ud800' })],
  ['an empty subject', assertionOf({ sub: '', iss: client })],
  ['an endless subject', assertionOf({ sub: 'a'.repeat(600) })],
  ['an endless assertion', assertionOf({ sub: client, more: 'a'.repeat(10_000) })],
  ['deep lists', `a.${Buffer.from('['.repeat(6_000)).toString('base64url')}.b`],
])('%s names no client', (_what, assertion) => {
  expect(readClientProof(assertion)).toBeUndefined()
})
