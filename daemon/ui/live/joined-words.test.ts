import { ChangeSet, Text } from '@codemirror/state'
import { expect, it } from 'vitest'
import { joinedWords } from './joined-words.ts'

type Edit = { from: number; to?: number; insert?: string }

/** The text after two concurrent edits, with a blank inserted at each place that `joinedWords` found. */
function typedOver(text: string, other: Edit, typed: Edit): string {
  const base = Text.of(text.split('\n'))
  const change = ChangeSet.of(other, base.length, '\n')
  const before = change.apply(base)
  const mine = ChangeSet.of(typed, base.length, '\n').map(change)
  const after = mine.apply(before)
  const places = joinedWords({ mine, before, after, other: change })
  const blanks = places.map((from) => ({ from, insert: ' ' }))
  return ChangeSet.of(blanks, after.length, '\n').apply(after).toString()
}

it.each<[string, string, Edit, Edit, string]>([
  [
    'both replaced a word',
    'hello world',
    { from: 0, to: 5, insert: 'Greetings' },
    { from: 0, to: 5, insert: 'Hi' },
    'Greetings Hi world',
  ],
  ['both began a word', '\n', { from: 0, insert: 'one' }, { from: 0, insert: 'two' }, 'one two\n'],
])('parts the words where %s at the same time', (_name, text, other, typed, expected) => {
  expect(typedOver(text, other, typed)).toBe(expected)
})

it.each<[string, string, Edit, Edit, string]>([
  ['type in one word', 'word', { from: 2, insert: 'x' }, { from: 2, insert: 'y' }, 'woxyrd'],
  ['end one word', 'note', { from: 4, insert: 's' }, { from: 4, insert: 'd' }, 'notesd'],
  ['add a sign', 'hello', { from: 0, to: 5, insert: 'Greetings' }, { from: 5, insert: '!' }, 'Greetings!'],
  ['type apart', 'a b', { from: 0, to: 1, insert: 'x' }, { from: 2, to: 3, insert: 'y' }, 'x y'],
])('leaves the text alone where both %s', (_name, text, other, typed, expected) => {
  expect(typedOver(text, other, typed)).toBe(expected)
})
