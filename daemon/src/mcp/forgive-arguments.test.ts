import { expect, test } from 'vitest'
import { forgiveArguments } from './forgive-arguments.ts'

test.each<[string, unknown, unknown]>([
  ['nothing', undefined, {}],
  ['other names', { vault: 'v', file: 'a.md' }, { vaultId: 'v', path: 'a.md' }],
  ['the right name wins', { path: 'a.md', file: 'b.md' }, { path: 'a.md', file: 'b.md' }],
  ['edits as JSON text', { edits: '[{"find":"a","replace":"b"}]' }, { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['edits that are no JSON stay', { edits: 'x' }, { edits: 'x' }],
  [
    'one edit without its list',
    { baseline: 'x', old_string: 'a', new_string: 'b', occurrence: 2 },
    { baseline: 'x', edits: [{ oldText: 'a', newText: 'b', occurrence: 2 }] },
  ],
  [
    'one section edit without its list',
    { baseline: 'x', section: 'S', op: 'append', text: 't' },
    { baseline: 'x', edits: [{ section: 'S', op: 'append', text: 't' }] },
  ],
  ['a section to read is no edit', { path: 'a', section: 'S' }, { path: 'a', section: 'S' }],
])('%s', (_name, given, expected) => expect(forgiveArguments(given)).toEqual(expected))
