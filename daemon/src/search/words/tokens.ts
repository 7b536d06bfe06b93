import { classOf, isPlainUnspaced, MARK, UNSPACED, WORD } from './character-class.ts'
import { fold } from './fold.ts'

/** Words are indexed and searched by their first 64 code units, so that no text can make a token expensive. */
export const MAX_TERM = 64
// At most this much of a word's text is folded; folding can shorten it, because marks are removed.
const MAX_FOLDED = 256
// A character with more marks than this is split. No real text has one, and normalising is not linear in marks.
const MAX_CLUSTER = 16

/** Receives the tokens of a text in order. Offsets are UTF-16 and refer to the text that a token stands for. */
export type TokenSink = {
  /** An ASCII word as written: the sink folds its case, so that no extra string is created. */
  ascii(text: string, start: number, end: number): void
  /** A folded word, or a pair of characters of an unspaced script. */
  folded(term: string, start: number, end: number): void
  /** The last single character of a longer unspaced run: it lets a search for one character find the end of a run. */
  closing(term: string, start: number, end: number): void
}

/**
 * Scans the text from one offset until another is reached and returns the offset to continue from: any text can be
 * scanned in slices with the same tokens as in one go. Linear in the text, and no single token takes long.
 */
export function scanTokens(text: string, from: number, until: number, sink: TokenSink): number {
  let at = from
  while (at < until) {
    const code = text.charCodeAt(at)
    if (code < 128) {
      if (isAsciiWord(code)) at = scanWord(text, at, sink)
      else at++
      continue
    }
    const point = text.codePointAt(at)!
    const kind = classOf(point)
    if (kind === WORD) at = scanWord(text, at, sink)
    else if (kind === UNSPACED) at = scanPair(text, at, sink)
    else at += lengthOf(point)
  }
  return at
}

const isAsciiWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

const lengthOf = (point: number): number => (point > 0xffff ? 2 : 1)

function scanWord(text: string, start: number, sink: TokenSink): number {
  let at = start
  while (at < text.length && isAsciiWord(text.charCodeAt(at))) at++
  if (at === text.length || text.charCodeAt(at) < 128) {
    sink.ascii(text, start, at)
    return at
  }
  const plainEnd = at
  for (let point = text.codePointAt(at); point !== undefined; point = text.codePointAt(at)) {
    const kind = classOf(point)
    if (kind !== WORD && kind !== MARK) break
    at += lengthOf(point)
  }
  if (at === plainEnd) sink.ascii(text, start, at)
  else sink.folded(cut(fold(cutAt(text, start, Math.min(at, start + MAX_FOLDED)))), start, at)
  return at
}

/** Emits the pairs that begin in the character at `start`, or the single character that ends the run there. */
function scanPair(text: string, start: number, sink: TokenSink): number {
  if (isPlainPair(text, start)) {
    sink.folded(text.slice(start, start + 2), start, start + 2)
    return start + 1
  }
  const end = clusterEnd(text, start)
  const next = text.codePointAt(end)
  const follows = next !== undefined && classOf(next) === UNSPACED
  const nextEnd = follows ? clusterEnd(text, end) : end
  const units = [...unitsOf(text, start, end)]
  const after = follows ? unitsOf(text, end, nextEnd)[Symbol.iterator]().next().value : undefined

  for (const [index, unit] of units.entries()) {
    const second = units[index + 1]
    if (second !== undefined) sink.folded(unit + second, start, end)
    else if (after !== undefined) sink.folded(unit + after, start, nextEnd)
    else if (index > 0 || isInsideRun(text, start)) sink.closing(unit, start, end)
    else sink.folded(unit, start, end)
  }
  return end
}

/** True when the pair is just the next two code units, as in most text of these scripts. */
function isPlainPair(text: string, start: number): boolean {
  if (start + 1 >= text.length) return false
  if (!isPlainUnspaced(text.charCodeAt(start)) || !isPlainUnspaced(text.charCodeAt(start + 1))) return false
  const after = start + 2 < text.length ? text.charCodeAt(start + 2) : 0
  return after < 128 || classOf(after) !== MARK
}

/** A character with its marks, normalised: usually one character. Pairs are built from these. */
const unitsOf = (text: string, start: number, end: number): string => text.slice(start, end).normalize('NFKC')

function clusterEnd(text: string, start: number): number {
  let at = start + lengthOf(text.codePointAt(start)!)
  while (at < text.length && at - start < MAX_CLUSTER) {
    const code = text.charCodeAt(at)
    if (code < 128) break
    const point = text.codePointAt(at)!
    if (classOf(point) !== MARK) break
    at += lengthOf(point)
  }
  return at
}

function isInsideRun(text: string, start: number): boolean {
  let at = start
  for (let steps = 0; at > 0 && steps < MAX_CLUSTER; steps++) {
    at--
    const code = text.charCodeAt(at)
    if (code >= 0xdc00 && code <= 0xdfff && at > 0) at--
    const kind = classOf(text.codePointAt(at)!)
    if (kind !== MARK) return kind === UNSPACED
  }
  return false
}

const cut = (term: string): string => (term.length > MAX_TERM ? cutAt(term, 0, MAX_TERM) : term)

/** A slice that leaves out half of a surrogate pair at its end. */
function cutAt(text: string, start: number, end: number): string {
  const last = text.charCodeAt(end - 1)
  const halves = end < text.length && last >= 0xd800 && last <= 0xdbff
  return text.slice(start, halves ? end - 1 : end)
}

/** A folded word of a text. `position` counts words, so that neighbours differ by one. */
export type Token = { term: string; position: number; start: number; end: number }

/** The term of an ASCII word as written. */
export const asciiTerm = (text: string, start: number, end: number): string =>
  text.slice(start, Math.min(end, start + MAX_TERM)).toLowerCase()

/** All words of a text in order. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  scanTokens(
    text,
    0,
    text.length,
    collector(tokens, (token) => tokens.push(token)),
  )
  return tokens
}

/**
 * The words that a text must contain to match a query: like `tokensOf`, but without the single one that closes a longer
 * run.
 */
export function queryTokensOf(text: string): Token[] {
  const tokens: Token[] = []
  scanTokens(
    text,
    0,
    text.length,
    collector(tokens, () => {}),
  )
  return tokens
}

/** A sink that collects tokens of a text that is scanned in slices. Positions continue across slices. */
export function collector(tokens: { push(token: Token): unknown }, onClosing: (token: Token) => void): TokenSink {
  let position = 0
  const folded = (term: string, start: number, end: number) => {
    tokens.push({ term, position: position++, start, end })
  }
  return {
    folded,
    ascii: (source, start, end) => folded(asciiTerm(source, start, end), start, end),
    closing: (term, start, end) => onClosing({ term, position: position++, start, end }),
  }
}
