import { expect, test } from 'vitest'
import { localAddress } from './local-address.ts'

test.each([
  ['http://0.0.0.0:7382', 'http://127.0.0.1:7382'],
  ['http://[::]:7382', 'http://[::1]:7382'],
  ['http://127.0.0.1:7382', 'http://127.0.0.1:7382'],
  ['http://192.168.1.5:7382', 'http://192.168.1.5:7382'],
  ['http://[fd00::1]:7382', 'http://[fd00::1]:7382'],
])('a daemon that listens at %s is reached at %s', (listening, local) => {
  expect(localAddress(listening)).toBe(local)
})
