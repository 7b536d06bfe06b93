import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { hashDaemonKey, isDaemonKey, lastFour, maskDaemonKey, mintDaemonKey } from './daemon-key.ts'

it('mints keys that differ, with the prefix and 256 bits of base62', () => {
  verifies('daemon-key.prefix', 'daemon-key.random')
  const keys = Array.from({ length: 200 }, mintDaemonKey)
  expect(new Set(keys).size).toBe(200)
  expect(keys.every(isDaemonKey)).toBe(true)
  expect(keys.every((key) => /^svc_dmn_[0-9A-Za-z]{43}$/.test(key))).toBe(true)
})

it('keeps a hash, and shows the end alone', () => {
  const key = mintDaemonKey()
  expect(hashDaemonKey(key)).toHaveLength(32)
  expect(sameBytes(hashDaemonKey(key), hashDaemonKey(key))).toBe(true)
  expect(sameBytes(hashDaemonKey(key), hashDaemonKey(mintDaemonKey()))).toBe(false)
  expect(maskDaemonKey(lastFour(key))).toBe(`svc_dmn_…${key.slice(-4)}`)
  expect(maskDaemonKey(null)).toBe('svc_dmn_…')
})

it.each(['', 'svc_dmn_', 'svc_dmn_short', `svc_dmn_${'a'.repeat(44)}`, `svc_dmn_${'-'.repeat(43)}`])(
  'does not take %j for a key',
  (text) => {
    expect(isDaemonKey(text)).toBe(false)
  },
)
