import { describe, expect, test } from 'vitest'
import type { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { verifies } from '../../../test/requirements.ts'
import { applySplices, planEdits } from './plan-edits.ts'

const edited = (text: string, ...edits: Edit[]) => applySplices(text, planEdits(text, edits).splices)
const refusal = (text: string, ...edits: Edit[]) => {
  try {
    return edited(text, ...edits)
  } catch (error) {
    return (error as { code?: string }).code
  }
}

const NOTE = '# Title\n\nintro\n\n## Tasks\n\n- one\n\n### Done\n\n- zero\n\n## Log\n'

describe('text', () => {
  test('several edits apply to the same text, whatever their order', () => {
    verifies('edit.atomic')
    expect(edited('a b c', { oldText: 'c', newText: 'a' }, { oldText: 'a', newText: 'c' })).toBe('c b a')
  })
  test('edits that overlap are refused', () =>
    expect(refusal('abcd', { oldText: 'abc', newText: '' }, { oldText: 'bcd', newText: '' })).toBe('invalid_request'))
  test('one edit that does not fit refuses all', () =>
    expect(refusal('a b', { oldText: 'a', newText: 'x' }, { oldText: 'z', newText: 'y' })).toBe('match_count'))
  test('an anchor of blanks is refused', () =>
    expect(refusal('a b', { oldText: ' ', newText: '' })).toBe('invalid_request'))
  test('new text is literal', () => expect(edited('a', { oldText: 'a', newText: '$& $1 $`' })).toBe('$& $1 $`'))
  test('new lines take the line ends of a CRLF note; other bytes stay', () =>
    expect(edited('\uFEFFa\r\nb\r\n', { oldText: 'b', newText: 'c\nd' })).toBe('\uFEFFa\r\nc\r\nd\r\n'))
  test('a note of mixed line ends gets what was sent', () =>
    expect(edited('a\r\nb\n', { oldText: 'b', newText: 'c\nd' })).toBe('a\r\nc\nd\n'))
})

describe('sections', () => {
  test.each<[string, Edit, string]>([
    [
      'append stays before sub-headings',
      { section: 'Tasks', op: 'append', text: '- two' },
      NOTE.replace('- one\n', '- one\n- two\n'),
    ],
    [
      'prepend comes after the blank lines',
      { section: 'Tasks', op: 'prepend', text: '- nil' },
      NOTE.replace('- one\n', '- nil\n- one\n'),
    ],
    [
      'replace takes sub-sections with it',
      { section: 'Tasks', op: 'replace', text: 'none' },
      NOTE.replace('- one\n\n### Done\n\n- zero\n', 'none\n'),
    ],
    [
      'insert before the heading',
      { section: 'Done', op: 'insert_before', text: '### Doing\n' },
      NOTE.replace('### Done', '### Doing\n### Done'),
    ],
    [
      'insert after the whole section',
      { section: 'Tasks', op: 'insert_after', text: '## New\n' },
      NOTE.replace('## Log', '## New\n## Log'),
    ],
    ['an empty section at the end', { section: 'Log', op: 'append', text: 'entry' }, `${NOTE}entry\n`],
    [
      'a parent names it',
      { section: 'Tasks > Done', op: 'append', text: '- three' },
      NOTE.replace('- zero\n', '- zero\n- three\n'),
    ],
  ])('%s', (_name, edit, expected) => expect(edited(NOTE, edit)).toBe(expected))

  test('a heading without a line end gets one', () =>
    expect(edited('# A', { section: 'A', op: 'append', text: 'b' })).toBe('# A\nb\n'))
  test('two headings of one name need an occurrence', () => {
    const twice = '## A\nx\n## A\ny\n'
    expect(refusal(twice, { section: 'A', op: 'append', text: 'z' })).toBe('match_count')
    expect(edited(twice, { section: 'A', op: 'append', text: 'z', occurrence: 2 })).toBe('## A\nx\n## A\ny\nz\n')
  })
  test('a heading in code is none', () =>
    expect(refusal('```\n# A\n```\n', { section: 'A', op: 'append', text: 'z' })).toBe('match_count'))
})

describe('properties', () => {
  const head = '---\n# keep\ntitle:   "A"  # why\ntags: [a, b]\nlist:\n  - x\n  - y\nempty:\n---\nbody\n'
  test.each<[string, Edit, string]>([
    ['a scalar changes alone', { property: 'title', value: 'B' }, head.replace('"A"', 'B')],
    ['a flow list stays in its line', { property: 'tags', value: ['c'] }, head.replace('[a, b]', '[c]')],
    ['a block list stays a block', { property: 'list', value: ['z'] }, head.replace('  - x\n  - y\n', '  - z\n')],
    ['a value for none', { property: 'empty', value: 1 }, head.replace('empty:', 'empty: 1')],
    [
      'a new one comes last',
      { property: 'due', value: '2026-01-02' },
      head.replace('empty:\n', 'empty:\ndue: 2026-01-02\n'),
    ],
    ['one goes with its line', { property: 'title', delete: true }, head.replace('title:   "A"  # why\n', '')],
    ['a block goes with its lines', { property: 'list', delete: true }, head.replace('list:\n  - x\n  - y\n', '')],
  ])('%s', (_name, edit, expected) => expect(edited(head, edit)).toBe(expected))

  test.each<[string, unknown, string]>([
    ['status: # draft, done', 'done', 'status: done # draft, done'],
    ['status:   # draft, done', ['x'], 'status:   [x] # draft, done'],
    ['status: # two\n  # lines', { a: 1 }, 'status: {a: 1} # two\n  # lines'],
    ['status: !!str # draft', 'done', 'status: !!str done # draft'],
    ['status: # draft', 'two\nlines', 'status: "two\\nlines" # draft'],
    ['status: old # draft', 'two\nlines', 'status: "two\\nlines" # draft'],
    ['status: [a,\n  b] # draft', ['two\nlines'], 'status: ["two\\nlines"] # draft'],
    ['x: &a 1\nstatus: *a # draft', 'two\nlines', 'x: &a 1\nstatus: "two\\nlines" # draft'],
    ['status: |\n  # text\n# draft', 'done', 'status: done\n# draft'],
  ])('the comment of %j stays one beside the value %j', (yaml, value, expected) =>
    expect(edited(`---\n${yaml}\nb: 1\n---\n`, { property: 'status', value })).toBe(`---\n${expected}\nb: 1\n---\n`),
  )
  test('a note without properties gets a block', () =>
    expect(edited('# A\n', { property: 'n', value: 1 })).toBe('---\nn: 1\n---\n# A\n'))
  test('a block after a byte order mark, in the line ends of the note', () =>
    expect(edited('\uFEFFa\r\n', { property: 'n', value: true })).toBe('\uFEFF---\r\nn: true\r\n---\r\na\r\n'))
  test('several properties and a passage at once', () =>
    expect(
      edited('a\n', { property: 'x', value: 1 }, { property: 'y', value: 2 }, { oldText: 'a', newText: 'b' }),
    ).toBe('---\nx: 1\ny: 2\n---\nb\n'))
  test.each<[string, string, Edit]>([
    ['indented names', '  title: x\n  b: 1\n', { property: 'n', value: 1 }],
    ['a deleted anchor', 'a: &x 1\nb: *x\n', { property: 'a', delete: true }],
    ['an anchor that is written over', 'a: &x 1\nb: *x\n', { property: 'a', value: 'two\nlines' }],
    ['the end of the document', 'a: 1\n...\n', { property: 'b', value: 1 }],
    ['one name twice', 'a: x\na: y\n', { property: 'a', value: 'z' }],
    ['one name twice, deleted', 'a: x\na: y\n', { property: 'a', delete: true }],
    [
      'more names than are read',
      'a: 1\n',
      { property: 'b', value: Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`k${index}`, index])) },
    ],
  ])('an edit that would leave other properties than meant is refused: %s', (_name, yaml, edit) => {
    verifies('edit.atomic')
    expect(refusal(`---\n${yaml}---\nbody\n`, edit)).toBe('invalid_request')
  })
  test.each<[string, Edit, string]>([
    ['a: 1\n', { property: 'a', delete: true }, ''],
    ['', { property: '__proto__', value: { __proto__: null, x: [] } }, '__proto__:\n  x: []\n'],
    ['1: x\n', { property: '1', value: null }, '1: null\n'],
    ['  a: 1\n  b: 1\n', { property: 'b', value: 'two' }, '  a: 1\n  b: two\n'],
    ['a: &x 1\nb: *x\n', { property: 'b', value: -0 }, 'a: &x 1\nb: -0\n'],
    ['a: x\na: y\n', { property: 'b', value: Infinity }, 'a: x\na: y\nb: .inf\n'],
  ])('the properties %j with %j', (yaml, edit, expected) =>
    expect(edited(`---\n${yaml}---\n`, edit)).toBe(`---\n${expected}---\n`),
  )
  test('what is no map is never rewritten', () =>
    expect(refusal('---\n- a\n---\n', { property: 'x', value: 1 })).toBe('invalid_request'))
  test('removing what is not there is refused', () =>
    expect(refusal('a', { property: 'x', delete: true })).toBe('invalid_request'))
})
