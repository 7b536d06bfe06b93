import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../api-failure.ts'
import { askAgainAfter, idAfter, newOperationId } from './operation-id.ts'
import { verifies } from '../../../test/requirements.ts'

const failure = (code: string, retryAfterSeconds?: number) =>
  new ApiFailure({ code, message: code }, 409, retryAfterSeconds)

describe('newOperationId', () => {
  it('fits the form of operation ids and does not repeat', () => {
    expect(newOperationId()).toMatch(/^[A-Za-z0-9._:-]{8,128}$/)
    expect(newOperationId()).not.toBe(newOperationId())
  })
})

describe('idAfter', () => {
  it.each(['operation_in_progress', 'operation_retryable', 'network', 'internal', 'fresh_sign_in_required'])(
    'keeps the id after %s',
    (code) => {
      verifies('web.operation-id')
      expect(idAfter(failure(code), 'used', () => 'fresh')).toBe('used')
    },
  )

  it.each(['operation_failed', 'operation_conflict'])('takes a new id after %s', (code) => {
    expect(idAfter(failure(code), 'used', () => 'fresh')).toBe('fresh')
  })
})

describe('askAgainAfter', () => {
  it('asks again only about an operation that runs', () => {
    expect(askAgainAfter(failure('operation_in_progress', 4))).toBe(4)
    expect(askAgainAfter(failure('operation_in_progress'))).toBe(2)
    expect(askAgainAfter(failure('operation_retryable', 4))).toBeUndefined()
  })
})
