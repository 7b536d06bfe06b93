import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainLine, plainTitle } from './plain-line.ts'

test.each<[string, string]>([
  ['plain words, 2 * 3 and snake_case_names', 'plain words, 2 * 3 and snake_case_names'],
  ['**bold**, *italic*, __both__ and ***more***', 'bold, italic, both and more'],
  ['~~gone~~ ==marked== `code *as is*` ``a ` b``', 'gone marked code *as is* a ` b'],
  ['~one~ a = b == c', '~one~ a = b == c'],
  ['see [[Roadmap]], [[plans/Roadmap|the plan]] and [[Roadmap#Autumn]]', 'see Roadmap, the plan and Roadmap › Autumn'],
  ['[[#Below]] ![[picture.png|300]]', 'Below picture.png'],
  ['[words](https://example.org/a_(b)) ![alt](x.png "t")', 'words alt'],
  ['[words][name] and [brackets] and [^1]', 'words and [brackets] and [^1]'],
  ['# A **heading** ##', 'A heading'],
  ['> [!warning]- Mind *this*', 'Mind this'],
  ['> [!warning]', 'warning'],
  ['> > quoted', 'quoted'],
  ['  - [x] **done** ^name', 'done'],
  ['12. twelfth', '12. twelfth'],
  ['| Mill | [[Walk\\|nine]] |  | a \\| b |', 'Mill · nine · a | b'],
  ['press <kbd>S</kbd><br>then <https://example.org>, 1 < 2 > 0', 'press S then https://example.org, 1 < 2 > 0'],
  ['\\*no\\* \\[\\[no\\]\\]', '*no* [[no]]'],
  ['unclosed **bold, `code, [words](address', 'unclosed **bold, `code, [words](address'],
  ['cut off]] in a [[link', 'cut off in a link'],
  ['', ''],
  ['**', '**'],
])('%s is read as %s', (line, text) => {
  expect(plainLine(line).text).toBe(text)
})

/** Searches for the given words in a line, and returns the highlighted words of the plain line. */
function marked(line: string, ...words: string[]): string[] {
  const ranges = words.map((word) => [line.indexOf(word), line.indexOf(word) + word.length] as const)
  const { text, highlights } = plainLine(line, ranges)
  return highlights.map(([start, end]) => text.slice(start, end))
}

test('a hit stays highlighted where its words have moved', () => {
  expect(marked('- [ ] **Mill** at [[x|nine]]', 'Mill', 'nine')).toEqual(['Mill', 'nine'])
  expect(marked('the **old mill** pond', 'old mill** pond')).toEqual(['old mill pond'])
  expect(marked('| a | b |', 'a', 'b')).toEqual(['a', 'b'])
})

test.each([
  ['[words](https://example.org/mill)', 'mill'],
  ['[[plans/mill|the plan]]', 'mill'],
  ['<a href="mill">x</a>', 'mill'],
  ['> [!mill] title', 'mill'],
  ['text ^mill', 'mill'],
  ['a ** b', '**'],
])('a hit in what would be left out is shown: %s', (line, hit) => {
  expect(marked(line, hit)).toEqual([hit])
})

test('an address with a hit stands beside its words', () => {
  expect(
    plainLine('see [words](https://mill.org) or [[plans/mill|it]]', [
      [19, 23],
      [42, 46],
    ]).text,
  ).toBe('see words · https://mill.org or plans/mill · it')
})

test('a title is its words', () => {
  expect([plainTitle('The **old** mill'), plainTitle('1. The # mill')]).toEqual(['The old mill', '1. The # mill'])
})

test('the words of links have their places', () => {
  const { text, links } = plainLine('to [[Mill]], [[Mill#North|there]] and [*by* road](plans/Road.md)')
  expect(links.map(({ kind, target, start, end }) => [kind, target, text.slice(start, end)])).toEqual([
    ['wiki', 'Mill', 'Mill'],
    ['wiki', 'Mill', 'there'],
    ['markdown', 'plans/Road.md', 'by road'],
  ])
})

test('no letter of a hit is ever lost, and highlights stay within the text', () => {
  const marks = '** * _ __ ~~ == ` `` [[ ]] [ ] ]( ( ) | \\ <b < > # ^ !'.split(' ')
  const words = ['# ', '> ', '- ', '1. ', '[!a]', '[x] ', ' ', '\t', 'mill', 'é', '😀', 'a', 'x:y']
  const piece = fc.constantFrom(...marks, ...words)
  const lines = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))
  const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), (line, one, other) => {
      const places = [one % (line.length + 1), other % (line.length + 1)]
      const range = [Math.min(...places), Math.max(...places)] as const
      const { text, highlights, links } = plainLine(line, [range])
      const [start, end] = highlights[0]!
      expect(letters(text.slice(start, end))).toBe(letters(line.slice(...range)))
      if (range[0] < range[1]) expect(end).toBeGreaterThan(start)
      for (const link of links) expect(link.start <= link.end && link.end <= text.length).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
