import { describe, expect, it } from 'vitest'
import { ApiFailure, fieldProblems, readFailure, toFailure } from './api-failure.ts'
import { verifies } from '../../test/requirements.ts'

const answered = (status: number, body: unknown, retryAfter: string | null = null) =>
  readFailure({ status, body, retryAfter })

describe('readFailure', () => {
  it('reads the failure body of the control plane', () => {
    const failure = answered(409, { ok: false, error: { code: 'slug_taken', message: 'Taken.', requestId: 'r1' } })
    expect(failure).toMatchObject({ code: 'slug_taken', message: 'Taken.', status: 409, requestId: 'r1' })
  })

  it('reads the flat body of the sign-in handler', () => {
    verifies('web.one-failure')
    const failure = answered(401, { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' })
    expect(failure).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' })
  })

  it('keeps the seconds to wait, and ignores a Retry-After that is no number', () => {
    expect(answered(503, { ok: false, error: { code: 'daemon_waking' } }, '3').retryAfterSeconds).toBe(3)
    expect(answered(503, {}, 'Wed, 21 Oct 2026 07:28:00 GMT').retryAfterSeconds).toBeUndefined()
  })

  it.each([
    [401, 'unauthenticated'],
    [404, 'not_found'],
    [502, 'unreadable'],
  ])('names an answer of status %i without a code %s', (status, code) => {
    expect(answered(status, '<html>').code).toBe(code)
    expect(answered(status, undefined).code).toBe(code)
  })
})

describe('fieldProblems', () => {
  it('finds the bad fields of an invalid request by name', () => {
    const details = [{ path: 'body.slug', message: 'must be lower-case' }, { path: 'name' }, null]
    const failure = answered(400, { ok: false, error: { code: 'invalid_request', message: 'No.', details } })
    expect([...fieldProblems(failure)]).toEqual([['slug', 'must be lower-case']])
  })

  it('takes a problem in a list for one of the field that holds the list', () => {
    const details = [{ path: 'settings.shares.0', message: 'must be a number' }]
    const failure = answered(400, { ok: false, error: { code: 'invalid_request', message: 'No.', details } })
    expect([...fieldProblems(failure)]).toEqual([['shares', 'must be a number']])
  })

  it('finds none in another failure', () => {
    expect(
      fieldProblems(answered(422, { code: 'operation_conflict', details: [{ path: 'a', message: 'b' }] })).size,
    ).toBe(0)
  })
})

describe('toFailure', () => {
  it('passes failures and wraps anything else', () => {
    const failure = answered(500, {})
    expect(toFailure(failure)).toBe(failure)
    expect(toFailure(new TypeError('x'))).toBeInstanceOf(ApiFailure)
  })
})
