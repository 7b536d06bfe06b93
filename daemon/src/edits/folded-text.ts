import { isBlank } from '../markdown/blanks.ts'

/** How much a search may ignore; each step includes those before it. */
export type Tolerance = 'whitespace' | 'unicode' | 'blanks'

/** A text as a tolerant search sees it, with the position of each of its characters in the original. */
export type FoldedText = {
  text: string
  /** Offset in the original of the first character that became this one. */
  starts: number[]
  /** Offset in the original after the last character that became this one. */
  ends: number[]
}

const LOOK_ALIKE: Record<string, string> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '«': '"',
  '»': '"',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '′': "'",
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '―': '-',
  '−': '-',
  '…': '...',
  '\u200b': '',
  '\u200c': '',
  '\u200d': '',
  '\u2060': '',
  '\ufeff': '',
}
const MAX_CLUSTER = 64
const ODD_BLANK = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/

// A line end with the blanks before it, a run of blanks, a run of plain characters, or one character with its
// combining marks. A plain character before a mark belongs to the mark.
const PIECES = /[ \t]+(?:\r?\n)?|\r?\n|(?:[!-~](?!\p{M}))+|[^\p{M}]\p{M}*|\p{M}+/gsu
const PLAIN = /^[!-~]/

/** Folds a text. The folded text is only for searching; it is never stored. */
export function foldText(text: string, tolerance: Tolerance): FoldedText {
  const folded: FoldedText = { text: '', starts: [], ends: [] }
  const parts: string[] = []
  const push = (piece: string, start: number, end: number) => {
    parts.push(piece)
    for (let index = 0; index < piece.length; index++) {
      folded.starts.push(start)
      folded.ends.push(end)
    }
  }
  const pushEach = (piece: string, start: number) => {
    parts.push(piece)
    for (let index = 0; index < piece.length; index++) {
      folded.starts.push(start + index)
      folded.ends.push(start + index + 1)
    }
  }

  for (const match of text.matchAll(PIECES)) {
    const [piece] = match
    const start = match.index
    const end = start + piece.length
    // Blanks before a line end map to nothing. Those inside a match are covered, because a span has no holes.
    if (piece.endsWith('\n')) push('\n', end - 1 - Number(piece.endsWith('\r\n')), end)
    else if (isBlank(piece[0])) {
      // Indentation has a meaning: a list item of another level must not be found.
      const isIndentation = start === 0 || text[start - 1] === '\n'
      if (tolerance === 'blanks' && !isIndentation) push(' ', start, end)
      else pushEach(piece, start)
    } else if (PLAIN.test(piece) && (piece.length === 1 || piece.charCodeAt(1) < 0x7f)) pushEach(piece, start)
    else push(tolerance === 'whitespace' ? piece : foldCharacter(piece, tolerance), start, end)
  }
  folded.text = parts.join('')
  return folded
}

function foldCharacter(cluster: string, tolerance: Tolerance): string {
  if (ODD_BLANK.test(cluster[0]!)) return tolerance === 'blanks' && cluster.length > 1 ? ' ' : ` ${cluster.slice(1)}`
  // Sorting combining marks takes quadratic time; no script needs that many on one character.
  return LOOK_ALIKE[cluster] ?? (cluster.length > MAX_CLUSTER ? cluster : cluster.normalize('NFC'))
}
