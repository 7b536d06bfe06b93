/** One hostile text of any length. */
export type Shape = { name: string; text(length: number): string }

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

const repeated = (piece: string): Shape => ({
  name: `${JSON.stringify(piece)} repeated`,
  text: (length) => fill(piece, length),
})

const framed = (head: string, piece: string, tail: string): Shape => ({
  name: `${JSON.stringify(head)}, ${JSON.stringify(piece)} repeated, ${JSON.stringify(tail)}`,
  text: (length) => head + fill(piece, length) + tail,
})

// One character that many rules accept, the same with a character that some grammar expects next, and pairs that
// open and never close.
const PIECES = [
  [' ', '\t', '\n', '\r\n', '\r', '\u2028', '\u3000', ' \n', '\n\n', ' \t', ' \u2028', '\u0301', '\u0301\u0316'],
  ['a', 'A', '1', 'é', 'ß', '漢', '漢字', '\u{1f600}', 'ﬁ', 'a\u0301', 'a ', 'a\n', 'ab', 'a-', 'a.', 'a/'],
  ['#', '# ', '#a ', '##\n', '# a\n', '# a #\n', '# \t', '=\n', 'a\n=\n', '-', '---\n', '- ', '-a ', '> ', ' > '],
  ['`', '```\n', '``` `', '~~~', '*', '**', '_', '*a', '[', ']', '[[', '[[a', '[a](', '[a]: ', '![', '](', '|', '||'],
  ['"', "'", '"a', '"\n', '\\', '\\"', '%2e', '%%', '<', '<a ', '<!--', '</', '&', '&a ', '*a ', '!', '? ', ': '],
  ['a: ', 'a:\n', 'a: 1\n', '- a\n', '{', '{a: ', '[a,', '@', '@a', '=', '==', '$', '$$', '^', '~', '+', ';', ';a='],
  ['path:', '-"', 'tag:a ', '"a b', 'http://', '://', 'www.', '..', './', '../', 'a@', ',', ',a', 'W/"', 'q=0.'],
].flat()

/**
 * Texts that slow down a parser that can match one character in two ways. Each exceeds the previous one by a requested
 * amount.
 */
export const adversarialShapes: readonly Shape[] = [
  ...PIECES.map(repeated),
  ...[' ', '\t', 'a', '#', '=', '-', '`', '\u2028', '\n', '1', '"', '漢'].flatMap((piece) => [
    framed('# a', piece, 'b'),
    framed('a', piece, '\u2028x'),
    framed('> ', piece, '\n'),
    framed('[[', piece, '\n]]'),
    framed('#', piece, '\u0000'),
    framed('"', piece, '\\'),
  ]),
]
