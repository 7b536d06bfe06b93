import fc from 'fast-check'
import { expect, test } from 'vitest'
import { twinFinder } from './path-twins.ts'
import { identityKey } from './vault-path.ts'

const piece = fc.constantFrom(
  'a',
  'A',
  'k',
  'K',
  '\u212A',
  'é',
  'e\u0301',
  'É',
  'İ',
  'ß',
  'ſ',
  's',
  'å',
  '\u212B',
  '😀',
  '.',
  '1',
)
const name = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))

test('a name is found by the key that it has, and by no other one', () => {
  fc.assert(
    fc.property(name, name, (one, other) => {
      const key = identityKey(one)
      expect(twinFinder(key)(other)).toBe(identityKey(other) === key)
      expect(twinFinder(key)(one)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('every single character that folds to ASCII is found', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code)
    const key = identityKey(character)
    if (/^[\0-\x7F]+$/.test(key)) expect(twinFinder(key)(character), character).toBe(true)
  }
})
