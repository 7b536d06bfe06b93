import { trimBlanksEnd } from '../markdown/blanks.ts'
import { findAll } from './find-all.ts'
import { foldText, type FoldedText, type Tolerance } from './folded-text.ts'

/** How an anchor was found: literally, or by ignoring certain differences. */
export type Matched = 'exact' | Tolerance

/** A passage of a text, as offsets. */
export type Passage = { start: number; end: number }

/** What identifies a passage: its text, the text on either side, and which of several matches it is. */
export type Anchor = {
  oldText: string
  before?: string | undefined
  after?: string | undefined
  occurrence?: number | undefined
}

/** A place where an anchor could match, for the next attempt. */
export type Candidate = { line: number; occurrence: number; text: string }

/** The passage of an anchor, or why there is not exactly one. */
export type Found =
  { kind: 'found'; passage: Passage; matched: Matched } | { kind: 'not_one'; count: number; candidates: Candidate[] }

const TOLERANCES: readonly Tolerance[] = ['whitespace', 'unicode', 'blanks']
const MAX_CANDIDATES = 5
const CONTEXT = 40

/**
 * Finds the one passage that an anchor identifies. Tries the literal text first. If it does not occur, ignores, step by
 * step, differences that writers tend to overlook, and then accepts only a single match.
 */
export function findAnchor(text: string, anchor: Anchor, folded: FoldedVersions = foldedVersions(text)): Found {
  const exact = occurrences(text, anchor)
  if (exact.length > 0) return pick(text, exact, anchor.occurrence)

  for (const tolerance of TOLERANCES) {
    const found = foldedOccurrences(folded(tolerance), anchor, tolerance)
    if (found.length === 1 && (anchor.occurrence ?? 1) === 1)
      return { kind: 'found', passage: found[0]!, matched: tolerance }
    if (found.length > 0) return notOne(text, found)
  }
  return { kind: 'not_one', count: 0, candidates: [] }
}

/** The folded forms of one text. Each is computed on first use and shared by all anchors. */
export type FoldedVersions = (tolerance: Tolerance) => FoldedText

export function foldedVersions(text: string): FoldedVersions {
  const made = new Map<Tolerance, FoldedText>()
  return (tolerance) => {
    const folded = made.get(tolerance) ?? foldText(text, tolerance)
    made.set(tolerance, folded)
    return folded
  }
}

function pick(text: string, found: Passage[], occurrence: number | undefined): Found {
  const chosen = occurrence === undefined ? (found.length === 1 ? found[0] : undefined) : found[occurrence - 1]
  return chosen ? { kind: 'found', passage: chosen, matched: 'exact' } : notOne(text, found)
}

function occurrences(text: string, { oldText, before = '', after = '' }: Anchor): Passage[] {
  const whole = before + oldText + after
  return findAll(text, whole).map((at) => ({
    start: at + before.length,
    end: at + before.length + oldText.length,
  }))
}

function foldedOccurrences(folded: FoldedText, anchor: Anchor, tolerance: Tolerance): Passage[] {
  const [before, part, after] = [anchor.before ?? '', anchor.oldText, anchor.after ?? ''].map(
    (piece) => foldText(piece, tolerance).text,
  )
  // Blanks at the end of an anchor may match the blanks at the end of a line, which folding removes.
  const trimmed = after === '' ? trimBlanksEnd(part!) : part!
  const mustEndLine = trimmed !== part
  if (trimmed.trim() === '') return []

  return findAll(folded.text, before + trimmed + after)
    .map((at) => ({ first: at + before!.length, last: at + before!.length + trimmed.length - 1 }))
    .filter(({ first, last }) => isWhole(folded, first, last) && (!mustEndLine || endsLine(folded.text, last + 1)))
    .map(({ first, last }) => ({ start: folded.starts[first]!, end: folded.ends[last]! }))
}

/** True if the match covers every original character as a whole: folding can turn one character into several. */
function isWhole({ starts }: { starts: number[] }, first: number, last: number): boolean {
  return starts[first] !== starts[first - 1] && starts[last + 1] !== starts[last]
}

const endsLine = (text: string, at: number): boolean => at >= text.length || text[at] === '\n'

function notOne(text: string, found: readonly Passage[]): Found {
  const candidates = found.slice(0, MAX_CANDIDATES).map(({ start, end }, index) => ({
    line: lineOf(text, start),
    occurrence: index + 1,
    text: clip(text, start, end),
  }))
  return { kind: 'not_one', count: found.length, candidates }
}

/** The number of the line that an offset is in, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** The passage with its surroundings; a long one is cut. */
function clip(text: string, start: number, end: number): string {
  const to = Math.min(text.length, Math.min(end, start + 3 * CONTEXT) + CONTEXT)
  return text.slice(Math.max(0, start - CONTEXT), to).toWellFormed()
}
