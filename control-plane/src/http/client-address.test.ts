import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createClientAddress } from './client-address.ts'

const addressOf = createClientAddress(['loopback', '10.0.0.0/8'])
const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

it.each<[string, string, string | undefined, string]>([
  ['the peer without proxies', '192.0.2.1', undefined, '192.0.2.1'],
  ['the peer where it is no proxy of ours', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
  ['the nearest address before our proxies', '127.0.0.1', '198.51.100.1, 192.0.2.7, 10.0.0.1', '192.0.2.7'],
  ['the last proxy before text that is no address', '127.0.0.1', 'x-1', '127.0.0.1'],
  ['the last proxy before an address with a port', '127.0.0.1', '192.0.2.7:5000, 10.0.0.1', '10.0.0.1'],
])('is %s', (_what, peer, forwarded, expected) => {
  expect(addressOf(request(peer, forwarded))).toBe(expected)
})
