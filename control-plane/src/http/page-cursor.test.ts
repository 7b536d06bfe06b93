import { expect, test } from 'vitest'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { decodeCursor, encodeCursor } from './page-cursor.ts'

const shape = ['text', 'time', 'number'] as const
const parts = ['acme', '2026-02-28T10:00:00.000Z', '42']

test('a position comes back as it was', () => {
  expect(decodeCursor(encodeCursor(...parts), shape)).toEqual(parts)
  expect(decodeCursor(undefined, shape)).toBeUndefined()
})

test.each([
  ['no base64', 'nonsense'],
  ['no list', Buffer.from('{"0":"a"}').toString('base64url')],
  ['a missing part', encodeCursor('acme')],
  ['another part', encodeCursor(...parts, 'x')],
  ['a number in place of a text', Buffer.from('[1,2,3]').toString('base64url')],
  ['a NUL', encodeCursor('a\0', ...parts.slice(1))],
  ['a lone surrogate', encodeCursor('a\ud800', ...parts.slice(1))],
  ['no time', encodeCursor('acme', 'x', '42')],
  ['a day that is none', encodeCursor('acme', '2026-02-30T10:00:00.000Z', '42')],
  ['a time without its zone', encodeCursor('acme', '2026-02-28T10:00:00.000', '42')],
  ['no number', encodeCursor('acme', parts[1]!, 'x')],
  ['a negative number', encodeCursor('acme', parts[1]!, '-1')],
  ['a number that no integer holds', encodeCursor('acme', parts[1]!, '9'.repeat(20))],
])('%s is an invalid request', (_what, cursor) => {
  try {
    decodeCursor(cursor, shape)
  } catch (error) {
    expect(isFailure(error, 'invalid_request')).toBe(true)
    return
  }
  expect.unreachable()
})
