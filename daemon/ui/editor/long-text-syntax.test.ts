import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { expect, test } from 'vitest'
import { longTextSyntax } from './long-text-syntax.ts'

const { parser } = markdown({ base: markdownLanguage, extensions: longTextSyntax }).language

/** The length of the longest part that is parsed in one go, the depth of the tree, and the names of the blocks. */
function reading(text: string) {
  const names = new Set<string>()
  let longest = 0
  let deepest = 0
  parser.parse(text).iterate({
    enter: ({ name, from, to, node }) => {
      if (/^(?:Paragraph|LongLine|ATXHeading1|Table|ListItem|Blockquote)$/.test(name)) names.add(name)
      if (/^(?:Paragraph|ATXHeading1|TableRow)$/.test(name)) longest = Math.max(longest, to - from)
      let depth = 0
      for (let above = node.parent; above; above = above.parent) depth++
      deepest = Math.max(deepest, depth)
    },
  })
  return { names: [...names], longest, deepest }
}

const LENGTH = 200_000
const filled = (line: string) => line.repeat(LENGTH / line.length)

test.each<[string, string, string[]]>([
  ['a paragraph of one line', filled('word '), ['LongLine']],
  ['a paragraph of many lines', filled('some words\n'), ['Paragraph']],
  ['a paragraph of indented lines', `a\n${filled('          words\n')}`, ['Paragraph']],
  ['a heading', `# ${filled('word ')}`, ['LongLine']],
  ['the item of a list', `- ${filled('word ')}`, ['LongLine']],
  ['a quote of many lines', `> a\n${filled('words\n')}`, ['Blockquote', 'Paragraph']],
  ['a line after a short one', `short\n${filled('word ')}`, ['Paragraph', 'LongLine']],
  ['the row of a table', `| a |\n| - |\n| ${filled('word ')} |`, ['Table', 'LongLine']],
])('%s of any length is read in parts', (_what, text, names) => {
  const found = reading(text)
  expect(found.names).toEqual(names)
  expect(found.longest).toBeLessThan(25_000)
})

test('quotes in quotes end somewhere', () => {
  expect(reading(`${'>'.repeat(5_000)} deep\n`.repeat(3)).deepest).toBeLessThan(100)
})

test('what people write stays what it is', () => {
  const text = `# Title\n\n${'A paragraph of words that are many. '.repeat(100)}\n\n> - quoted\n`
  expect(reading(text).names).toEqual(['ATXHeading1', 'Paragraph', 'Blockquote', 'ListItem'])
  const rows = '| one | two |\n'.repeat(3_000)
  expect(reading(`| a | b |\n| - | - |\n${rows}`)).toMatchObject({ names: ['Table'] })
})
