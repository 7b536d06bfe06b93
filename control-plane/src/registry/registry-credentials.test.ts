import { expect, it } from 'vitest'
import { credentialsIn } from './registry-credentials.ts'

const auth = Buffer.from('puller:pass:word').toString('base64')
const of = (config: unknown, host = 'registry.example.net:5000') => {
  const found = credentialsIn(config, host)
  return found && [found.username, found.password.reveal()]
}

it.each(['registry.example.net:5000', 'https://registry.example.net:5000/v2/', 'Registry.Example.Net:5000'])(
  'finds a host by the key %s',
  (key) => {
    expect(of({ auths: { 'other.example.net': { auth: 'x' }, [key]: { auth } } })).toEqual(['puller', 'pass:word'])
  },
)

it('takes name and password for themselves too', () => {
  const config = { auths: { 'registry.example.net:5000': { username: 'puller', password: 'secret' } }, credsStore: 'x' }
  expect(of(config)).toEqual(['puller', 'secret'])
})

it('finds nothing of a host that is not named, or named without a name', () => {
  expect(of({})).toBeUndefined()
  expect(of({ auths: { 'registry.example.net': { auth } } })).toBeUndefined()
  expect(of({ auths: { 'registry.example.net:5000': {} } })).toBeUndefined()
})

it('refuses what is no Docker configuration, and shows no password', () => {
  expect(() => of({ auths: [] })).toThrow()
  expect(JSON.stringify(credentialsIn({ auths: { 'r.example.net': { auth } } }, 'r.example.net'))).not.toContain(
    'pass:word',
  )
})
