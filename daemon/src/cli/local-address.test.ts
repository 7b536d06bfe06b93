import { expect, test } from 'vitest'
import { localAddress, localHost } from './local-address.ts'

test.each([
  ['http://0.0.0.0:7382', 'http://127.0.0.1:7382'],
  ['http://[::]:7382', 'http://[::1]:7382'],
  ['http://127.0.0.1:7382', 'http://127.0.0.1:7382'],
  ['http://192.168.1.5:7382', 'http://192.168.1.5:7382'],
  ['http://[fd00::1]:7382', 'http://[fd00::1]:7382'],
])('a daemon that listens at %s is reached at %s', (listening, local) => {
  expect(localAddress(listening)).toBe(local)
})

test.each([
  ['http://127.0.0.1:7382/api/health', 'localhost:7382'],
  ['http://[::1]:7382', 'localhost:7382'],
  ['http://127.0.0.1:80/api/health', 'localhost:80'],
])('the Host of %s is %s', (url, host) => {
  expect(localHost(url)).toBe(host)
})
