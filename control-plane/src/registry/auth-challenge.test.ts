import { expect, it } from 'vitest'
import { readAuthChallenge } from './auth-challenge.ts'

const realm = 'https://auth.example.net/token'

it.each([
  [`Bearer realm="${realm}",service="registry.example.net",scope="repository:svc/svcd:pull"`, 'registry.example.net'],
  [`bearer realm="${realm}"`, undefined],
  [`Bearer service="a, b", realm="${realm}"`, 'a, b'],
  [`Bearer realm="${realm}", service=plain`, 'plain'],
  [`Basic realm="Registry", Bearer realm="${realm}",service="both"`, 'both'],
  [String.raw`Bearer realm="${realm}",service="a \"quoted\" one"`, 'a "quoted" one'],
])('%s asks for a token', (header, service) => {
  expect(readAuthChallenge(header)).toEqual({ scheme: 'bearer', realm, service })
})

it.each(['Basic realm="Registry Realm"', 'basic', 'Bearer error="x", Basic realm="y"'])(
  '%s asks for a name',
  (header) => {
    expect(readAuthChallenge(header)).toEqual({ scheme: 'basic' })
  },
)

it.each(['', 'Negotiate', 'Bearer', 'Digest realm="x", nonce="y"', '"', ',,,', 'Bearer realm='])(
  '%s is not understood',
  (header) => {
    expect(readAuthChallenge(header)).toBeUndefined()
  },
)
