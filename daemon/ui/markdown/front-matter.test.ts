import { describe, expect, it } from 'vitest'
import { splitFrontMatter } from './front-matter.ts'

describe('front matter', () => {
  it.each([
    ['none', '# Title\n', { yaml: undefined, body: '# Title\n', bodyLine: 0 }],
    ['a block', '---\na: 1\nb: 2\n---\nBody', { yaml: 'a: 1\nb: 2', body: 'Body', bodyLine: 4 }],
    ['an empty block', '---\n---\nBody', { yaml: '', body: 'Body', bodyLine: 2 }],
    ['CRLF', '---\r\na: 1\r\n---\r\nBody', { yaml: 'a: 1', body: 'Body', bodyLine: 3 }],
    ['a block and nothing else', '---\na: 1\n---', { yaml: 'a: 1', body: '', bodyLine: 2 }],
    ['a rule at the top', '---\n\nText', { yaml: undefined, body: '---\n\nText', bodyLine: 0 }],
    ['dashes inside', '---\na: x---y\n---\nB', { yaml: 'a: x---y', body: 'B', bodyLine: 3 }],
  ])('reads %s', (_, text, expected) => expect(splitFrontMatter(text)).toEqual(expected))
})
