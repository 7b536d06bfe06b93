import { expect, test } from 'vitest'
import { initialStatus, type ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import type { Marker, OperationRecord } from '../operations/operation.ts'
import { markerOf } from './marker.ts'

const orgId = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const operation: OperationRecord = {
  operationId: 'roll-2026-01',
  action: 'image_roll',
  orgId,
  actor: { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' },
  reason: 'new release',
  inputText: '{}',
  attempts: 1,
  epoch: 7,
  requestedAt: new Date(0),
  finishedAt: undefined,
  state: 'executing',
}
const answer = { ok: true }
const reached = () => answer
const notYet = () => undefined
const daemon = (marker?: ManagedDaemonStatus['operation'], org = orgId) =>
  someDaemon({ orgId: org }, { status: { ...initialStatus, operation: marker } })
const failure = (reason: string): Marker => ({ outcome: 'failed', failure: { code: 'operation_failed', reason } })

test.each<[string, Parameters<typeof markerOf>[1], () => object | undefined, Marker | undefined]>([
  [
    'success that the daemon has reached',
    daemon({ id: 'roll-2026-01', outcome: 'succeeded' }),
    reached,
    { outcome: 'succeeded', answer },
  ],
  ['nothing before the daemon is as wanted', daemon({ id: 'roll-2026-01', outcome: 'succeeded' }), notYet, undefined],
  [
    'nothing while the operation is under way',
    daemon({ id: 'roll-2026-01', outcome: 'executing' }),
    reached,
    undefined,
  ],
  [
    'nothing by the marker of another operation',
    daemon({ id: 'roll-2026-02', outcome: 'succeeded' }),
    reached,
    undefined,
  ],
  [
    'nothing by the failure of another operation',
    daemon({ id: 'roll-2026-02', outcome: 'failed' }),
    reached,
    undefined,
  ],
  ['nothing without a marker', daemon(), reached, undefined],
  [
    'its failure with the reason',
    daemon({ id: 'roll-2026-01', outcome: 'failed', reason: 'ImageNotFound' }),
    reached,
    failure('ImageNotFound'),
  ],
  [
    'its failure with what the cluster said',
    daemon({ id: 'roll-2026-01', outcome: 'failed', reason: 'ImageNotFound', message: 'no such tag' }),
    reached,
    {
      outcome: 'failed',
      failure: { code: 'operation_failed', reason: 'ImageNotFound', message: 'no such tag' },
    },
  ],
  ['its failure without a reason', daemon({ id: 'roll-2026-01', outcome: 'failed' }), reached, failure('Failed')],
  ['failure when the resource is gone', undefined, reached, failure('Deleted')],
  [
    'nothing by the resource of another organization',
    daemon({ id: 'roll-2026-01', outcome: 'succeeded' }, 'org_bbbbbbbbbbbbbbbbbbbbbbbb'),
    reached,
    undefined,
  ],
])('proves %s', (_name, found, answerOf, marker) => expect(markerOf(operation, found, answerOf)).toEqual(marker))
