/** How far a search may look away from what is written; each step includes the ones before. */
export type Tolerance = 'whitespace' | 'unicode' | 'blanks'

/** A text as a tolerant search sees it, and where each of its characters stands in the original. */
export type FoldedText = {
  text: string
  /** Offset in the original of the first character that made this one. */
  starts: number[]
  /** Offset in the original after the last character that made this one. */
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
const ODD_BLANK = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/

// A line end with the blanks before it, a run of blanks, or one character with its combining marks.
const PIECES = /[ \t]*\r?\n|[ \t]+|[^\p{M}]\p{M}*|\p{M}+/gsu

/** Folds a text. The folded text is only for finding: what is stored is never folded. */
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

  for (const match of text.matchAll(PIECES)) {
    const [piece] = match
    const start = match.index
    const end = start + piece.length
    // Blanks before a line end belong to nothing; those inside a match are covered because a span has no holes.
    if (piece.endsWith('\n')) push('\n', end - 1 - Number(piece.endsWith('\r\n')), end)
    else if (/^[ \t]/.test(piece)) foldBlanks(piece, start, tolerance, push)
    else push(tolerance === 'whitespace' ? piece : foldCharacter(piece, tolerance), start, end)
  }
  folded.text = parts.join('')
  return folded
}

function foldBlanks(
  run: string,
  start: number,
  tolerance: Tolerance,
  push: (piece: string, start: number, end: number) => void,
) {
  if (tolerance === 'blanks') return push(' ', start, start + run.length)
  for (const [index, blank] of Array.from(run).entries()) push(blank, start + index, start + index + 1)
}

function foldCharacter(cluster: string, tolerance: Tolerance): string {
  if (ODD_BLANK.test(cluster))
    return tolerance === 'blanks' && cluster.length > 1 ? ' ' : cluster.replace(ODD_BLANK, ' ')
  return LOOK_ALIKE[cluster] ?? cluster.normalize('NFC')
}
