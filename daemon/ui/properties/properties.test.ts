import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { changeProperties, nameProblem, typedValue, type PropertyChange } from './change-properties.ts'
import { propertyFields } from './property-fields.ts'

const note = `---
# about this note
title: "Plan: A"   # quoted
count: 3
done: false
due: 2026-11-22
at: 2026-11-22T10:30
tags: [one, two]
people:
  - Ada
  - Ben
empty:
nested: { a: 1 }
poem: |
  two
  lines
anchored: &x word
again: *x
hex: 0x10
kept:
  - one # with a comment
---
Text
`

test('each value has the field of its kind; what a field could not keep is shown as it is written', () => {
  verifies('ui.properties')
  const read = propertyFields(note)
  const fields = read.kind === 'fields' ? read.fields : []
  expect(fields.map((field) => [field.name, field.kind, field.kind === 'fixed' ? field.source : field.value])).toEqual([
    ['title', 'text', 'Plan: A'],
    ['count', 'number', 3],
    ['done', 'checkbox', false],
    ['due', 'date', '2026-11-22'],
    ['at', 'time', '2026-11-22T10:30'],
    ['tags', 'tags', ['one', 'two']],
    ['people', 'list', ['Ada', 'Ben']],
    ['empty', 'text', ''],
    ['nested', 'fixed', 'nested: { a: 1 }'],
    ['poem', 'fixed', 'poem: |\n  two\n  lines'],
    ['anchored', 'fixed', 'anchored: &x word'],
    ['again', 'fixed', 'again: *x'],
    ['hex', 'fixed', 'hex: 0x10'],
    ['kept', 'fixed', 'kept:\n  - one # with a comment'],
  ])
  expect(fields[0]?.line).toBe(3)
})

test.each<[string, PropertyChange, string, string]>([
  ['text', { name: 'title', value: 'B' }, 'title: "Plan: A"   # quoted', 'title: B   # quoted'],
  ['a number', { name: 'count', value: 4 }, 'count: 3', 'count: 4'],
  ['a box', { name: 'done', value: true }, 'done: false', 'done: true'],
  ['a date', { name: 'due', value: '2027-01-02' }, 'due: 2026-11-22\n', 'due: 2027-01-02\n'],
  ['a list on one line', { name: 'tags', value: ['one', 'x, y'] }, '[one, two]', '[one, "x, y"]'],
  ['a list of lines', { name: 'people', value: ['Ada'] }, '  - Ada\n  - Ben\n', '  - Ada\n'],
  ['nothing yet', { name: 'empty', value: 'now' }, 'empty:\n', 'empty: now\n'],
  ['text like a number', { name: 'title', value: '12' }, '"Plan: A"', '"12"'],
  ['a name', { name: 'done', rename: 'is: done' }, 'done: false', '"is: done": false'],
  ['no property', { name: 'count', remove: true }, 'count: 3\n', ''],
])('a change to %s leaves every other byte', (_, change, before, after) => {
  verifies('ui.properties')
  expect(changeProperties(note, change)).toBe(note.replace(before, after))
})

test('a change of a list that was read a while ago keeps what has come to it since', () => {
  verifies('ui.properties')
  const changes: PropertyChange[] = [
    { name: 'tags', add: 'x' },
    { name: 'tags', add: 'y' },
    { name: 'tags', add: 'x' },
    { name: 'tags', take: 'one', nth: 0 },
    { name: 'tags', take: 'y', nth: 1 },
    { name: 'tags', take: 'gone', nth: 0 },
    { name: 'people', take: 'Ben', nth: 1 },
    { name: 'not there', take: 'Ben', nth: 0 },
    { name: 'new', add: 'first' },
  ]
  const after = changes.reduce(changeProperties, note)
  const kept = note.replace('[one, two]', '[two, x]').replace('  - Ben\n', '')
  expect(after).toBe(kept.replace(/---\nText/, 'new:\n  - first\n---\nText'))
  expect(() => changeProperties(note, { name: 'title', add: 'x' })).toThrow('no list')
})

test('of two equal items, the one that was meant is removed', () => {
  const twice = '---\nlist: [a, b, a]\n---\n'
  expect(changeProperties(twice, { name: 'list', take: 'a', nth: 2 })).toBe('---\nlist: [a, b]\n---\n')
})

test('a property that is there by now is neither emptied by a new one nor doubled by another name', () => {
  expect(() => changeProperties(note, { name: 'title', first: '' })).toThrow('there is such')
  expect(() => changeProperties(note, { name: 'count', rename: 'title' })).toThrow('there is such')
})

test('the first property makes the front matter, the next is added at its end', () => {
  expect(changeProperties('Text\n', { name: 'status', value: 'new' })).toBe('---\nstatus: new\n---\nText\n')
  expect(changeProperties('---\na: 1 # c\n---\n', { name: 'b', value: [] })).toBe('---\na: 1 # c\nb: []\n---\n')
})

test('front matter that is no list of names and values is not offered as fields', () => {
  for (const yaml of ['- a\n- b', '{ a: 1 }', 'a: [', 'a: 1\na: 2', 'only text'])
    expect(propertyFields(`---\n${yaml}\n---\n`), yaml).toMatchObject({ kind: 'unreadable', source: `${yaml}\n` })
  for (const none of ['', 'Text', '---\n---\n', '---\n# only a comment\n---\n'])
    expect(propertyFields(none)).toEqual({ kind: 'fields', fields: [] })
})

test('names and numbers are checked before anything is changed', () => {
  expect(nameProblem('a', ['a'])).toMatch('already')
  expect(nameProblem('  ', [])).toMatch('needs a name')
  expect(nameProblem('x'.repeat(101), [])).toMatch('at most')
  expect(nameProblem('a', ['b'])).toBeUndefined()
  expect(typedValue('number', '1,5')).toBeUndefined()
  expect(typedValue('number', '1.5')).toBe(1.5)
})
