import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { Text } from '@codemirror/state'
import { TreeFragment } from '@lezer/common'
import { expect, test } from 'vitest'
import { leastCpuMs } from '../../../test/support/cpu-time.ts'
import { firstTextLine, frontMatterSyntax } from './front-matter-syntax.ts'

const { parser } = markdown({ base: markdownLanguage, extensions: frontMatterSyntax }).language

const parts = (text: string) => {
  const found: string[] = []
  parser.parse(text).iterate({
    enter: ({ name, from, to }) => {
      if (/^(?:Frontmatter$|DashLine|Pair|ATXHeading1|Paragraph|HorizontalRule)/.test(name))
        found.push(`${name} ${text.slice(from, to)}`)
    },
  })
  return found
}

test.each<[string, string, string[]]>([
  [
    'names the block, its YAML and what follows',
    '---\na: 1\n---\n# B\n',
    ['Frontmatter ---\na: 1\n---', 'DashLine ---', 'Pair a: 1', 'DashLine ---', 'ATXHeading1 # B'],
  ],
  ['takes an empty one', '---\n---\nx', ['Frontmatter ---\n---', 'DashLine ---', 'DashLine ---', 'Paragraph x']],
  ['takes one that is not closed yet', '---\na: 1', ['Frontmatter ---\na: 1', 'DashLine ---', 'Pair a: 1']],
  ['takes a line of dashes alone', '---', ['Frontmatter ---', 'DashLine ---']],
  [
    'takes lines elsewhere for rules',
    'x\n\n---\na: 1\n\n---',
    ['Paragraph x', 'HorizontalRule ---', 'Paragraph a: 1', 'HorizontalRule ---'],
  ],
])('%s', (_what, text, found) => expect(parts(text)).toEqual(found))

test('a block that is not closed ends after a thousand lines', () => {
  const text = `---\n${'a: 1\n'.repeat(1000)}# B\n`
  expect(parts(text).at(-1)).toBe('ATXHeading1 # B')
})

test('after a change in a long note only what is near is read again', async () => {
  const text = `---\na: 1\n---\n\n${'Some **bold** words.\n\n- one\n- two\n\n'.repeat(5_000)}`
  const before = TreeFragment.addTree(parser.parse(text))
  const at = text.length >> 1
  const changed = `${text.slice(0, at)}x${text.slice(at)}`
  const change = [{ fromA: at, toA: at, fromB: at, toB: at + 1 }]
  const again = await leastCpuMs(() => parser.parse(changed, TreeFragment.applyChanges(before, change)))
  const anew = await leastCpuMs(() => parser.parse(changed))
  expect(again).toBeLessThan(anew / 4)
})

test.each<[string, number]>([
  ['# B', 1],
  ['', 1],
  ['---\na: 1\n---\n# B', 4],
  ['---\na: 1\n---', 3],
  ['---\n---\n', 3],
  ['---\na: 1\nb', 1],
])('the text of %j begins in line %i', (text, line) => expect(firstTextLine(Text.of(text.split('\n')))).toBe(line))
