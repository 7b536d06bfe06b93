import { expect, it } from 'vitest'
import { initials } from './initials.ts'

it.each([
  ['Ada Lovelace', 'AL'],
  ['  Grace  Brewster Hopper ', 'GH'],
  ['émile', 'É'],
  ['', ''],
  ['🦊 Fox', '🦊F'],
])('shortens %j to %j', (name, short) => {
  expect(initials(name)).toBe(short)
})
