import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { undoEdits, type RevisedText } from './undo-edits.ts'

const revised = (...steps: [by: 'agent' | 'human', text: string][]): RevisedText[] =>
  steps.map(([by, text]) => ({ text, undone: by === 'agent' }))

describe('taking back what an agent did', () => {
  test.each([
    ['an insertion', 'a\nc\n', revised(['agent', 'a\nb\nc\n']), 'a\nc\n'],
    ['a deletion', 'a\nb\nc\n', revised(['agent', 'a\nc\n']), 'a\nb\nc\n'],
    ['several edits of one line', 'one two\n', revised(['agent', 'one 2\n'], ['agent', '1 2 3\n']), 'one two\n'],
    ['all but a later line of a person', 'a\n', revised(['agent', 'a\nb\n'], ['human', 'a\nb\nc\n']), 'a\nc\n'],
    ['all but a person’s word in the same line', 'a b\n', revised(['agent', 'A b\n'], ['human', 'A b c\n']), 'a b c\n'],
    ['what a person has shortened', 'a\n', revised(['agent', 'a\nx y z\n'], ['human', 'a\nx z\n']), 'a\n'],
    ['what an agent did to words of a person', 'a\n', revised(['human', 'a mine\n'], ['agent', 'a\n']), 'a mine\n'],
  ])('keeps everything else: %s', (_what, first, texts, expected) => {
    expect(undoEdits({ first, texts })).toEqual({ text: expected, conflicts: [] })
  })

  test('a place that a person changed later is told, and stays', () => {
    const found = undoEdits({
      first: 'one\ntwo words\n',
      texts: revised(['agent', 'one\nother words\n'], ['human', 'one\nanother words\n']),
    })
    expect(found).toEqual({
      text: 'one\nanother words\n',
      conflicts: [{ line: 2, now: 'another', before: 'two' }],
    })
  })

  test('a reported place that others emptied hides nothing that was written beside it', () => {
    const found = undoEdits({
      first: 'a one b c d\n',
      texts: revised(
        ['agent', 'a two b c d\n'],
        ['human', 'a b c d\n'],
        ['agent', 'a b new c d\n'],
        ['human', 'a new c d\n'],
        ['agent', 'a more text new c d\n'],
        ['agent', 'a more text c d\n'],
        ['agent', 'a more d\n'],
      ),
    })
    expect(found.text).toBe('a c d\n')
    expect(found.conflicts).toMatchObject([{ line: 1, now: '' }])
    expect(found.conflicts[0]!.before.trim()).toBe('one')
  })

  test('places that a person replaced by one text are told as one', () => {
    const found = undoEdits({
      first: 'one two three\n',
      texts: revised(['agent', '1 two three\n'], ['agent', '1 two 3\n'], ['human', 'mine\n']),
    })
    expect(found).toEqual({ text: 'mine\n', conflicts: [{ line: 1, now: 'mine', before: 'one … three' }] })
  })

  test('of a text that several wrote at once, only the lines of the one are taken back', () => {
    const lines = [
      { lines: 1, by: false },
      { lines: 1, by: true },
      { lines: 2, by: false },
    ]
    const found = undoEdits({ first: 'a\nb\n', texts: [{ text: 'a\nmine\nb\ntheirs\n', undone: true, lines }] })
    expect(found).toEqual({ text: 'a\nb\ntheirs\n', conflicts: [] })
  })
})

type Edit = { by: 'agent' | 'human'; at: number; old: number; made: number }
type Word = { word: string; by: 'first' | 'agent' | 'human' }

const edit: fc.Arbitrary<Edit> = fc.record({
  by: fc.constantFrom('agent' as const, 'human' as const, 'human' as const, 'human' as const),
  at: fc.nat(),
  old: fc.nat(4),
  made: fc.nat(4),
})

const keepsPeople = (most: number) => (edits: readonly Edit[]) => {
  let words = Array.from({ length: most }, (_, at): Word => ({ word: `first${at}`, by: 'first' }))
  const textOf = (all: readonly Word[]) => all.map(({ word }) => `${word}${word.endsWith('7') ? '\n' : ' '}`).join('')
  const removedByAgent = new Set<string>()
  let unique = 0
  const first = textOf(words)
  const texts: RevisedText[] = []
  for (const { by, at, old, made } of edits) {
    const from = at % (words.length + 1)
    const fresh = Array.from({ length: made }, (): Word => ({ word: `${by}${unique++}`, by }))
    for (const { word } of words.slice(from, from + old)) if (by === 'agent') removedByAgent.add(word)
    words = words.toSpliced(from, old, ...fresh)
    texts.push({ text: textOf(words), undone: by === 'agent' })
  }
  const { text, conflicts } = undoEdits({ first, texts })
  const found = text.split(/\s+/).filter((word) => word !== '')
  const kept = new Set(found)
  expect(kept.size, 'no word is doubled').toBe(found.length)
  const people = words.filter(({ by }) => by === 'human').map(({ word }) => word)
  expect(people.filter((word) => !kept.has(word))).toEqual([])
  // What remains of the agent's text is in a reported passage.
  const told = new Set(conflicts.flatMap(({ now }) => now.split(/\s+/)))
  expect(found.filter((word) => word.startsWith('agent') && !told.has(word))).toEqual([])
  const lost = [...removedByAgent].filter((word) => !word.startsWith('agent') && !kept.has(word))
  const toldBefore = new Set(conflicts.flatMap(({ before }) => before.split(/\s+/)))
  expect(lost.filter((word) => !toldBefore.has(word))).toEqual([])
}

test('a run among 200 edits of people keeps every word of theirs and takes back every word of the agent', () => {
  verifies('revert.keeps-people')
  const edits = fc.array(edit, { minLength: 260, maxLength: 280 })
  fc.assert(fc.property(edits, keepsPeople(300)), { numRuns: 20, endOnFailure: true })
})

// Places that one of them emptied are met again and again in a short text.
test('so does one among edits of the same few words', () => {
  verifies('revert.keeps-people')
  const edits = fc.array(edit, { minLength: 2, maxLength: 40 })
  fc.assert(fc.property(edits, keepsPeople(12)), { numRuns: 1_000 })
})
