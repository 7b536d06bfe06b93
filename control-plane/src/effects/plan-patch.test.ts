import { expect, test } from 'vitest'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { planPatch } from './plan-patch.ts'

const orgId = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const operationId = 'roll-2026-01'
const named = (id: string, epoch: number) => someDaemon({ orgId, operation: { id, action: 'image_roll', epoch } })
const fresh = someDaemon({ orgId })
const going: Partial<ManagedDaemon> = { deletedAt: '2026-06-01T11:00:00.000Z' }

test.each<[string, ManagedDaemon | undefined, number | undefined, string]>([
  ['patches a spec that no operation has changed yet', fresh, undefined, 'patch'],
  ['patches over an older operation', named('older', 4), undefined, 'patch'],
  ['patches again when only older operations came before its last try', named('older', 4), 5, 'patch'],
  ['leaves a spec that it has changed already', named(operationId, 6), 6, 'applied'],
  ['leaves a changed spec alone even while it is deleted', { ...named(operationId, 6), ...going }, 6, 'applied'],
  ['is overtaken by an operation that came after its last try', named('newer', 6), 5, 'superseded'],
  ['does not go back behind a newer epoch', named('newer', 8), undefined, 'epochs_behind'],
  ['does not patch what is being deleted', { ...fresh, ...going }, undefined, 'deleting'],
  ['does not patch what does not exist', undefined, undefined, 'absent'],
  [
    'does not patch the resource of another organization',
    someDaemon({ orgId: 'org_bbbbbbbbbbbbbbbbbbbbbbbb' }),
    undefined,
    'absent',
  ],
])('%s', (_name, daemon, previousEpoch, kind) =>
  expect(planPatch({ daemon, orgId, operationId, epoch: 7, previousEpoch }).kind).toBe(kind),
)
