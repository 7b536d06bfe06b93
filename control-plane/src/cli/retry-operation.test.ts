import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { retryOperation } from './retry-operation.ts'

const FRESH_SECONDS = 600
type State = 'requested' | 'executing' | 'retryable' | 'succeeded' | 'failed'

/** Waits for a restore that is in this state after so many seconds; counts what was asked. */
async function wait({ waitSeconds = 3_600, after = 900, state = 'succeeded' as State, isKnown = true }) {
  let seconds = 0
  const counts = { asked: 0, looked: 0 }
  const clock = {
    monotonic: () => seconds * 1_000,
    sleep: async (ms: number) => void (seconds += ms / 1_000),
  }
  const ask = async () => {
    counts.asked += 1
    throw fail(seconds > FRESH_SECONDS ? 'fresh_sign_in_required' : 'operation_in_progress', undefined, {
      retryAfterSeconds: 5,
    })
  }
  const look = async () => {
    counts.looked += 1
    if (!isKnown) return undefined
    return {
      operationId: 'cli-1',
      orgId: 'org_1',
      action: 'restore' as const,
      actor: { kind: 'user' as const, id: 'u' },
      reason: 'r',
      state: seconds < after ? ('executing' as const) : state,
      ...(state === 'failed' && { failure: { code: 'operation_failed', reason: 'NoSuchBackup' } }),
      attempts: 1,
      requestedAt: '2026-01-01T00:00:00.000Z',
    }
  }
  const outcome = await retryOperation(ask, { waitSeconds, clock, look, say: () => {} }).catch(
    (error: unknown) => error,
  )
  return { outcome, seconds, ...counts }
}

test('waits for longer than a sign-in is fresh, and then tells the outcome', async () => {
  const { outcome, seconds, asked } = await wait({})
  expect(outcome).toMatchObject({ ok: true, operationId: 'cli-1', state: 'succeeded' })
  expect(seconds).toBeLessThan(905)
  expect(asked).toBe(122)
})

test('tells a failure, and what only a new request would go on with', async () => {
  expect((await wait({ state: 'failed' })).outcome).toMatchObject({
    code: 'operation_failed',
    details: { operationId: 'cli-1', reason: 'NoSuchBackup' },
  })
  const stopped = await wait({ state: 'retryable' })
  expect(stopped.outcome).toMatchObject({ code: 'operation_retryable', details: { operationId: 'cli-1' } })
  expect(stopped.seconds).toBeLessThan(905)
})

test('an operation that is still running at the end is in progress', async () => {
  const { outcome, seconds } = await wait({ waitSeconds: 700 })
  expect(outcome).toMatchObject({ code: 'operation_in_progress', details: { operationId: 'cli-1' } })
  expect(seconds).toBeGreaterThan(690)
})

test('a sign-in that is too old stays the failure where nothing was begun', async () => {
  const outcome = { code: 'fresh_sign_in_required' }
  expect((await wait({ isKnown: false })).outcome).toMatchObject(outcome)
  const old = async () => {
    throw fail('fresh_sign_in_required')
  }
  const look = async () => expect.unreachable('nothing was begun') as never
  const clock = { monotonic: () => 0, sleep: async () => {} }
  await expect(retryOperation(old, { waitSeconds: 60, clock, look, say: () => {} })).rejects.toMatchObject(outcome)
})
