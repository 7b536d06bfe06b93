import { expect, test } from 'vitest'
import { placeFinder, placesOf } from './note-places.ts'

const note =
  '# A\n\n## B, or (C)?\n\ntext ^block-1\n\n### D\n\n## E\n\n### D2\n\n- item\n^Two\n\n```\n# no ^no\n```\nx^none\n'

test.each(['a', 'B or C', 'b, or (c)?', 'A#D', 'A#B or C#D', 'E#D2', '^block-1', '^two'])('%s is there', (fragment) =>
  expect(placeFinder(placesOf(note))(fragment)).toBe(true),
)
test.each(['F', 'E#D', 'D#A', 'A#', '', '^block', '^none', '^no', 'no'])('%s is not', (fragment) =>
  expect(placeFinder(placesOf(note))(fragment)).toBe(false),
)
test('of too many places none is said to be missing', () =>
  expect(placeFinder(placesOf('# a\n'.repeat(10_001)))('b')).toBe(true))
