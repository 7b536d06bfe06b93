import { toolDefinitions } from '@svc/shared/wire/mcp/tools.ts'
import { mutate, type Random } from './hostile-text.ts'

/** Values that tools often fail on: other types, paths out of the vault, large and malformed text. */
const hostileValues: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  '../../canary.txt',
  '/etc/passwd',
  'a/../../other/secret.md',
  '.svc/vault.json',
  'notes/.git/config',
  'CON.md',
  'a\0b.md',
  '\ud800.md',
  'x'.repeat(5000),
  '[]',
  '{"oldText":"a"}',
  [],
  [[]],
  {},
  { __proto__: null, constructor: 1 },
  Array.from({ length: 50 }, () => ({ oldText: 'a', newText: 'b' })),
]
const plausible: Readonly<Record<string, readonly unknown[]>> = {
  vaultId: ['demo-vault', 'demo-vault', 'demo-vault', 'other', 'none'],
  path: ['README.md', 'fuzz/a.md', 'fuzz/b.md', 'fuzz/c.txt', 'fuzz'],
  newPath: ['fuzz/a.md', 'fuzz/b.md', 'README.md', 'fuzz/deep/er.md'],
  folder: ['', 'fuzz', 'none/'],
  content: ['# A\n', 'text\r\n', '---\nx: 1\n---\n'],
  baseline: ['x', ''],
  edits: [[{ oldText: 'A', newText: 'B' }], [{ section: 'A', op: 'append', text: 'x' }], [{ property: 'x', value: 1 }]],
  q: ['a', '"b" -c', 'path:fuzz', 'tag:x prop:y=z'],
  data: ['', 'QUJD', 'QQ==', 'Q'],
  limit: [1, 5],
  cursor: ['0', '5'],
  lines: ['1-2', '9999-'],
  permanent: [false, true],
  since: ['2000-01-01T00:00:00Z', 'abcdef0', 'now'],
  review: ['x', undefined],
}

/** A call of a random tool with valid, wrong or hostile arguments. */
export function randomCall(random: Random): { tool: string; arguments: Record<string, unknown> } {
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)]!
  const { name, input } = pick(toolDefinitions)
  const args: Record<string, unknown> = {}
  for (const key of Object.keys(input.shape)) {
    const choice = random.below(12)
    if (choice === 0) continue
    if (choice === 1) args[key] = pick(hostileValues)
    else if (choice === 2)
      args[key] = mutate(random, { seeds: ['a/b.md', '# x\n'], words: ['../', '\\', '%2e', '\u202e'], maxLength: 200 })
    else if (plausible[key]) args[key] = pick(plausible[key])
  }
  if (random.below(20) === 0) args[pick(['file', 'text', 'find', 'toString'])] = pick(hostileValues)
  return { tool: name, arguments: args }
}
