import { expect, test } from 'vitest'
import { movedSettings } from './moved-settings.ts'

const move = { from: 'a', to: 'b c/d' }

test.each([
  [
    'folders:\r\n  a: { order: 1 }  # why\r\n  a/x: {}\r\n  ab: {}\r\n',
    'folders:\r\n  b c/d: { order: 1 }  # why\r\n  b c/d/x: {}\r\n  ab: {}\r\n',
  ],
  ['folders: {"a": 1, \'a/x\': 2}', 'folders: {"b c/d": 1, \'b c/d/x\': 2}'],
])('the path of a moved folder changes, and no other byte: %j', (before, after) => {
  expect(movedSettings(before, move)).toBe(after)
})

test('a name that YAML would read as something else is quoted', () => {
  expect(movedSettings('folders: { a: 1 }', { from: 'a', to: 'true' })).toBe('folders: { "true": 1 }')
  expect(movedSettings('folders: { a: 1 }', { from: 'a', to: '1, x' })).toBe('folders: { "1, x": 1 }')
})

test.each(['', 'folders: [a]', 'folders: { b: 1 }', 'folders: {', 'folders: { a: 1, "b c/d": 2 }'])(
  'what has no such folder, or cannot be changed without loss, stays: %j',
  (text) => expect(movedSettings(text, move)).toBeUndefined(),
)
