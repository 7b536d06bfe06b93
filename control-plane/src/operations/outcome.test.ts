import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { StoreNotReady, StoreRejection, StoreUnavailable } from '@svc/shared/wire/managed-daemon-store.ts'
import { outcomeOfFailure, type FailedOutcome } from './outcome.ts'

test.each<[string, unknown, FailedOutcome]>([
  [
    'a resource that the store rejects is a failure for good',
    new StoreRejection('storage cannot shrink'),
    {
      state: 'failed',
      failure: { code: 'operation_failed', reason: 'ResourceRejected', message: 'storage cannot shrink' },
    },
  ],
  [
    'a store that denies its rights may be retried',
    new StoreNotReady('cannot patch resource'),
    {
      state: 'retryable',
      failure: { code: 'operation_retryable', reason: 'StoreNotReady', message: 'cannot patch resource' },
    },
  ],
  [
    'a store that is away may be retried',
    new StoreUnavailable('connect ECONNREFUSED'),
    {
      state: 'retryable',
      failure: { code: 'operation_retryable', reason: 'StoreUnavailable', message: 'connect ECONNREFUSED' },
    },
  ],
  [
    'a failure that no repetition mends is one for good',
    fail('image_not_allowed', { reason: 'RepositoryDiffers' }),
    { state: 'failed', failure: { code: 'image_not_allowed', reason: 'RepositoryDiffers' } },
  ],
  [
    'a failure of the runtime keeps what the cluster said',
    fail('operation_failed', { reason: 'StorageRefused', message: 'quota exceeded' }),
    { state: 'failed', failure: { code: 'operation_failed', reason: 'StorageRefused', message: 'quota exceeded' } },
  ],
  [
    'a daemon that is offline may be retried',
    fail('daemon_offline'),
    { state: 'retryable', failure: { code: 'daemon_offline' } },
  ],
  [
    'a timeout keeps its reason',
    fail('operation_retryable', { reason: 'PodNotReady' }),
    { state: 'retryable', failure: { code: 'operation_retryable', reason: 'PodNotReady' } },
  ],
  [
    'a bug is uncertain, so it may be retried',
    new TypeError('x is not a function'),
    { state: 'retryable', failure: { code: 'internal' } },
  ],
  [
    'a failure that was itself a bug may be retried',
    fail('internal'),
    { state: 'retryable', failure: { code: 'internal' } },
  ],
  ['anything else that was thrown may be retried', 'text', { state: 'retryable', failure: { code: 'internal' } }],
])('%s', (_name, thrown, ending) => expect(outcomeOfFailure(thrown)).toEqual(ending))

test('a reason that is no text is left out', () => {
  expect(outcomeOfFailure(fail('image_not_allowed', { reason: { secret: 1 } })).failure).toEqual({
    code: 'image_not_allowed',
  })
})

test('what the cluster said has limits, and can be stored whatever it holds', () => {
  const messageOf = (said: unknown) => outcomeOfFailure(fail('operation_failed', { message: said })).failure.message
  expect(messageOf('a\0b\r\nc')).toBe('a b  c')
  expect(messageOf('x'.repeat(2_000_000))).toHaveLength(512)
  expect([messageOf('\0\n'), messageOf(''), messageOf({ text: 'x' })]).toEqual([undefined, undefined, undefined])
})
