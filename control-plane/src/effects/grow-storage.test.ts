import { expect, test } from 'vitest'
import { initialStatus, type ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { someSpec } from '../../../test/support/managed-daemon-specs.ts'
import { isLarger } from './grow-storage.ts'

const GIB = 2 ** 30
const has = (capacityBytes: number) => ({ storage: { capacityBytes, usedBytes: 0 } })
const refused = { failedGrowth: { sizeBytes: 2 * GIB } }

test.each<[string, string, Partial<ManagedDaemonStatus>, boolean]>([
  ['more than the spec says', '3Gi', has(GIB), true],
  ['as much as the spec says', '2Gi', has(GIB), false],
  ['less than an adopted volume has', '3Gi', has(4 * GIB), false],
  ['the size that the storage refused, again', '2Gi', { ...has(GIB), ...refused }, true],
  ['less than the refused size, but more than the volume has', '1536Mi', { ...has(GIB), ...refused }, true],
  ['less than the refused size, of a volume that nobody has measured', '1536Mi', refused, false],
  ['the refused size of a volume that nobody has measured', '2Gi', refused, true],
  ['what the volume has already', '2Gi', { ...has(2 * GIB), ...refused }, false],
])('a growth to %s', (_what, size, status, expected) => {
  const spec = someSpec({ storage: { size: '2Gi' } })
  expect(isLarger(size, { spec, status: { ...initialStatus, ...status } })).toBe(expected)
})
