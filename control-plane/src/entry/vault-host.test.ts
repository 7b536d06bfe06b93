import { expect, it } from 'vitest'
import { createVaultHosts } from './vault-host.ts'

const hosts = createVaultHosts('https://{label}.vaults.example.net')
const local = createVaultHosts('http://{label}.localhost:7380')
const label = 'abcdefghijklmnopqrst'

it.each([
  [`${label}-1.vaults.example.net`, { label, generation: 1 }],
  [`${label.toUpperCase()}-12.VAULTS.example.net`, { label, generation: 12 }],
  [`${label}.vaults.example.net`, undefined],
  [`${label}-0.vaults.example.net`, undefined],
  [`${label}-1.vaults.example.net.`, undefined],
  [`${label}-1.vaults.example.net:443`, undefined],
  [`x.${label}-1.vaults.example.net`, undefined],
  ['vaults.example.net', undefined],
])('reads %s', (host, expected) => {
  expect(hosts.parse(host)).toEqual(expected)
})

it('owns every host of its form, in use or not', () => {
  expect(hosts.matches('whatever.vaults.example.net')).toBe(true)
  expect(hosts.matches('a.b.vaults.example.net')).toBe(false)
  expect(hosts.matches('svc.example.net')).toBe(false)
  expect(local.matches('localhost:7380')).toBe(false)
  expect(local.matches('x.localhost:7380')).toBe(true)
})

it('makes the origin that it reads', () => {
  expect(local.origin(label, 3)).toBe(`http://${label}-3.localhost:7380`)
  expect(local.parse(new URL(local.origin(label, 3)).host)).toEqual({ label, generation: 3 })
  expect([hosts.secure, local.secure]).toEqual([true, false])
})
