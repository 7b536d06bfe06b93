import { expect, test } from 'vitest'
import { frontMatterNames } from './front-matter-names.ts'

test.each<[string, string, string[] | undefined]>([
  ['names in their order', '---\nb: 1\na: [x]\n---', ['b', 'a']],
  ['a name with blanks', '---\nread at: noon\n---', ['read at']],
  [
    'values, lists, comments and nested names are no properties',
    '---\n# a: b\na:\n  - b: 1\n  c: 2\n- d: 3\n---',
    ['a'],
  ],
  ['a name needs a blank or the end behind its colon', '---\nhttp://x\na:\n---', ['a']],
  ['an empty one has no names', '---\n---', []],
  ['one that is not closed is not named', '---\na: 1', undefined],
  ['a line of dashes alone is not closed', '---', undefined],
])('%s', (_what, source, names) => expect(frontMatterNames(source)).toEqual(names))

test('of many names the first twelve are there', () => {
  const source = `---\n${Array.from({ length: 40 }, (_, at) => `name${at}: 1`).join('\n')}\n---`
  expect(frontMatterNames(source)).toHaveLength(13)
  expect(frontMatterNames(source)?.at(-1)).toBe('…')
})
