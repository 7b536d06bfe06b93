import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { Text } from '@codemirror/state'
import { Tree, TreeFragment } from '@lezer/common'
import { expect, test } from 'vitest'
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

/** The blocks of a tree below its groups. */
const blocksOf = ({ children }: Tree): Tree[] =>
  children.flatMap((child) =>
    child instanceof Tree ? (child.type.isAnonymous || child.type.isTop ? blocksOf(child) : [child]) : [],
  )

test('after a change in a long note only what is near is read again', () => {
  const text = `---\na: 1\n---\n\n${'Some **bold** words.\n\n- one\n- two\n\n'.repeat(5_000)}`
  const before = parser.parse(text)
  const at = text.length >> 1
  const changed = `${text.slice(0, at)}x${text.slice(at)}`
  const change = [{ fromA: at, toA: at, fromB: at, toB: at + 1 }]
  const known = new Set(blocksOf(before))
  const after = parser.parse(changed, TreeFragment.applyChanges(TreeFragment.addTree(before), change))
  expect(known.size).toBeGreaterThan(10_000)
  expect(blocksOf(after).filter((block) => !known.has(block)).length).toBeLessThan(50)
  expect(String(after)).toBe(String(parser.parse(changed)))
})

test.each<[string, number]>([
  ['# B', 1],
  ['', 1],
  ['---\na: 1\n---\n# B', 4],
  ['---\na: 1\n---', 3],
  ['---\n---\n', 3],
  ['---\na: 1\nb', 1],
])('the text of %j begins in line %i', (text, line) => expect(firstTextLine(Text.of(text.split('\n')))).toBe(line))
