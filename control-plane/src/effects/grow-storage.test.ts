import { expect, test } from 'vitest'
import { initialStatus, type ManagedDaemonSpec, type ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { someSpec } from '../../../test/support/managed-daemon-specs.ts'
import type { Execution } from '../operations/operation.ts'
import { createGrowStorage, isLarger } from './grow-storage.ts'

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

type Storage = ManagedDaemonSpec['storage']
const grow = (maxSize: string) => ({ maxSize, abovePercent: 80 })

test.each<[string, Storage, string, string | undefined, Partial<Storage>]>([
  ['within its ceiling', { size: '2Gi', autoGrow: grow('50Gi') }, '20Gi', '50Gi', { size: '20Gi' }],
  [
    'above its ceiling',
    { size: '2Gi', autoGrow: grow('50Gi') },
    '60Gi',
    '50Gi',
    { size: '60Gi', autoGrow: grow('60Gi') },
  ],
  [
    'after a much larger size was refused',
    { size: '1000Gi', autoGrow: grow('1000Gi') },
    '20Gi',
    '50Gi',
    { size: '20Gi', autoGrow: grow('50Gi') },
  ],
  [
    'where growth has been switched off meanwhile',
    { size: '2Gi', autoGrow: grow('50Gi') },
    '20Gi',
    undefined,
    { size: '20Gi', autoGrow: grow('20Gi') },
  ],
  ['where volumes do not grow by themselves', { size: '2Gi' }, '20Gi', undefined, { size: '20Gi' }],
])('the ceiling of a volume that is enlarged %s', async (_what, storage, size, maxSize, expected) => {
  const orgId = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
  const operation = { orgId, operationId: 'grow-0001', action: 'storage_grow', inputText: JSON.stringify({ size }) }
  const status = { ...initialStatus, ...has(GIB), failedGrowth: { sizeBytes: 1000 * GIB } }
  const daemon = { name: 'org-a', resourceVersion: '1', spec: someSpec({ orgId, storage }), status }
  const patches: { storage?: Partial<Storage> }[] = []
  const { execute } = createGrowStorage({
    store: {
      find: async () => daemon,
      patchSpec: async (_name: string, _version: string, patch: object) => patches.push(patch),
    },
    events: { insertFenced: async () => {} },
    waiter: { until: async () => ({ outcome: 'succeeded', answer: {} }) },
    growthOf: async () => ({ maxSize, abovePercent: 80 }),
  } as unknown as Parameters<typeof createGrowStorage>[0])
  await execute({ operation, epoch: 1, signal: new AbortController().signal } as Execution)
  expect(patches.map((patch) => patch.storage)).toEqual([expected])
})
