import { expect, it } from 'vitest'
import { sameBytes, sameSecret } from './same-secret.ts'

it.each([
  ['', '', true],
  ['a secret', 'a secret', true],
  ['a secret', 'a secreT', false],
  ['a secret', 'a secret, and more', false],
  ['', 'a secret', false],
])('%j and %j are the same: %s', (left, right, same) => {
  expect(sameSecret(left, right)).toBe(same)
  expect(sameBytes(Buffer.from(left), Buffer.from(right))).toBe(same)
})
