import { expect, test } from 'vitest'
import { forgiveArguments } from './forgive-arguments.ts'

const READ = ['vaultId', 'path', 'section', 'lines', 'maxChars']
const EDIT = ['vaultId', 'path', 'baseline', 'edits', 'onStale', 'dryRun']
const HISTORY = ['vaultId', 'path', 'from', 'to', 'cursor']

test.each<[string, string[], unknown, unknown]>([
  ['nothing', READ, undefined, {}],
  ['what is no object stays', READ, [1], [1]],
  ['other names', READ, { vault: 'v', file: 'a.md' }, { vaultId: 'v', path: 'a.md' }],
  [
    'other spellings',
    EDIT,
    { VaultID: 'v', 'dry-run': true, on_stale: 'x' },
    { vaultId: 'v', dryRun: true, onStale: 'x' },
  ],
  ['the right name wins', READ, { path: 'a.md', file: 'b.md' }, { path: 'a.md', file: 'b.md' }],
  ['of two other names the first', READ, { file: 'a.md', note: 'b.md' }, { path: 'a.md', note: 'b.md' }],
  [
    'a name that is a parameter here means itself',
    HISTORY,
    { path: 'a', from: '1', to: '2' },
    { path: 'a', from: '1', to: '2' },
  ],
  ['and elsewhere means another', ['path', 'newPath'], { from: 'a', to: 'b' }, { path: 'a', newPath: 'b' }],
  ['what means no parameter stays', READ, { path: 'a', offset: 3 }, { path: 'a', offset: 3 }],
  ['null is left out', READ, { path: 'a', section: null, lines: null }, { path: 'a' }],
  [
    'numbers, truths and texts',
    [...READ, 'dryRun'],
    { maxChars: '10', lines: 8, dryRun: 'true' },
    { maxChars: 10, lines: '8', dryRun: true },
  ],
  ['text that only looks like a number stays', READ, { maxChars: '10k', path: '7' }, { maxChars: '10k', path: '7' }],
  ['edits as JSON text', EDIT, { edits: '[{"find":"a","replace":"b"}]' }, { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['edits that are no JSON stay', EDIT, { edits: 'x' }, { edits: 'x' }],
  [
    'one edit in place of a list',
    EDIT,
    { edits: { oldText: 'a', newText: 'b' } },
    { edits: [{ oldText: 'a', newText: 'b' }] },
  ],
  [
    'one edit without its list',
    EDIT,
    { baseline: 'x', old_string: 'a', new_string: 'b', occurrence: '2' },
    { baseline: 'x', edits: [{ oldText: 'a', newText: 'b', occurrence: 2 }] },
  ],
  [
    'one section edit without its list',
    EDIT,
    { baseline: 'x', section: 'S', op: 'append', content: 't' },
    { baseline: 'x', edits: [{ section: 'S', op: 'append', text: 't' }] },
  ],
  [
    'fields of an edit that are null, for those who send them all',
    EDIT,
    { edits: [{ oldText: 'a', newText: 'b', section: null, property: null, value: null, delete: null }] },
    { edits: [{ oldText: 'a', newText: 'b' }] },
  ],
  [
    'a property that is set to null',
    EDIT,
    { edits: [{ property: 'p', value: null }] },
    { edits: [{ property: 'p', value: null }] },
  ],
  [
    'a property that is deleted',
    EDIT,
    { edits: [{ property: 'p', value: null, delete: 'true' }] },
    { edits: [{ property: 'p', delete: true }] },
  ],
  ['a section to read is no edit', READ, { path: 'a', section: 'S' }, { path: 'a', section: 'S' }],
])('%s', (_name, parameters, given, expected) => expect(forgiveArguments(given, parameters)).toEqual(expected))

test('a key that objects inherit is an argument like any other', () => {
  const forgiven = forgiveArguments(JSON.parse('{"__proto__":{"edits":[1]},"constructor":1}'), EDIT)
  expect(Object.keys(forgiven as object).sort()).toEqual(['__proto__', 'constructor'])
})
