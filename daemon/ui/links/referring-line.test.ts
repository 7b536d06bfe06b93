import { expect, test } from 'vitest'
import { linkIndex } from './link-index.ts'
import { referringLine } from './referring-line.ts'

const files = ['plans/Mill (old).md', 'plans/Walk.md', 'Walk.md']
const file = (path: string) =>
  ({
    kind: 'note',
    path,
    name: path.split('/').at(-1)!,
    title: path,
    size: 1,
    modifiedAt: '2026-01-01T00:00:00Z',
  }) as const
const index = linkIndex(files.map(file))

test.each([
  ['links to it', '**See** [[Mill (old)|the mill]], not [[Walk]]', 'See the mill, not Walk', ['the mill']],
  [
    'links by address',
    '[there](<Mill (old).md#North>) or [here](Mill%20%28old%29.md "M")',
    'there or here',
    ['there', 'here'],
  ],
  ['its name, in any case', 'the *mill (old)* pond', 'the mill (old) pond', ['mill (old)']],
  ['nothing', 'the pond [[Gone]]', 'the pond Gone', []],
])('a referring line highlights %s', (_name, line, text, marked) => {
  const found = referringLine({ index, from: 'plans/Walk.md', to: 'plans/Mill (old).md', text: line })
  expect(found.text).toBe(text)
  expect(found.highlights.map(([start, end]) => found.text.slice(start, end))).toEqual(marked)
})
