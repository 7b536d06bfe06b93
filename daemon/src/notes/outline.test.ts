import { expect, test } from 'vitest'
import { readProperties } from './frontmatter.ts'
import { readNoteFacts } from './note-facts.ts'
import { linesOf, outlineOf, titleOf } from './outline.ts'

test('headings are ATX and setext ones outside code and properties', () => {
  const text =
    '---\n# not: this\n---\n# One #\n\nTwo\n===\n\n```md\n# no\n```\n~~~\n# no\n```\n~~~\n  ### Three\n#no\n- item\n---\n'
  expect(outlineOf(text).map(({ level, text, line }) => [level, text, line])).toEqual([
    [1, 'One', 4],
    [1, 'Two', 6],
    [3, 'Three', 16],
  ])
})

test('offsets of headings are those of their lines', () => {
  const text = 'a\r\n# B\r\nc'
  const [heading] = outlineOf(text)
  expect(text.slice(heading!.start, heading!.end)).toBe('# B\r\n')
  expect([...linesOf('a\n\nb')].map((line) => line.text)).toEqual(['a', '', 'b'])
})

test('the title is the first heading of level 1, else the name', () => {
  expect(titleOf('a/b.md', outlineOf('## x\n# y\n'))).toBe('y')
  expect(titleOf('a/Bases syntax.md', outlineOf('## Example\n'))).toBe('Bases syntax')
  expect(titleOf('x.md', outlineOf('\uFEFF# Marked\n'))).toBe('Marked')
})

test('properties are read, and broken ones are none', () => {
  expect(readProperties('---\na: 1\nb: [x]\nd: 2026-01-02\n---\n')).toEqual({ a: 1, b: ['x'], d: '2026-01-02' })
  expect(readProperties('---\na: [\n---\n')).toEqual({})
  expect(readProperties('---\nno end\n')).toEqual({})
  expect(readProperties('text\n---\na: 1\n---\n')).toEqual({})
})

test('tags come from properties and text', () => {
  const text = '---\ntags: [One, "#two"]\n---\n#three and (#four/five) but not a#b, `x` or #12\n```\n#code\n```\n'
  expect(readNoteFacts('a.md', Buffer.from(text), text).tags).toEqual(['one', 'two', 'three', 'four/five'])
})
