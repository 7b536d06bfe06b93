/** A link as it is written in a block of prose. The destination is what names the file, without its brackets. */
export type ScannedLink = {
  kind: 'wiki' | 'markdown' | 'reference'
  embed: boolean
  /** Offsets of the whole link and of its destination. */
  start: number
  end: number
  from: number
  to: number
}

/**
 * The links of one block of prose, in order of their ends. A single pass: a rescan from every bracket that is never
 * closed would take quadratic time.
 */
export function scanLinks(text: string, start: number, end: number): ScannedLink[] {
  const links: ScannedLink[] = []
  const definition = definitionAt(text, start, end)
  if (definition) links.push(definition)

  const spans = codeSpans(text, start, end)
  const open: number[] = []
  for (let at = definition?.end ?? start; at < end;) {
    const character = text[at]
    if (character === '\\') at += 2
    else if (character === '`') at = spans.get(at) ?? endOfRun(text, at, end)
    else if (character === '[') {
      const wiki = wikiAt(text, at, end)
      if (wiki) links.push(wiki)
      else open.push(at)
      at = wiki ? wiki.end : at + 1
    } else if (character === ']') {
      const opened = open.pop()
      const link = opened === undefined ? undefined : addressAt(text, { opened, closed: at }, end)
      if (link) links.push(link)
      at = link ? link.end : at + 1
    } else if (character === '\n') {
      const next = definitionAt(text, at + 1, end)
      if (next) links.push(next)
      at = next ? next.end : at + 1
    } else at++
  }
  return links
}

/** The end of each code span, by its start: it ends at the next run of as many backticks. */
function codeSpans(text: string, start: number, end: number): Map<number, number> {
  const spans = new Map<number, number>()
  const runs: { at: number; length: number }[] = []
  for (let at = text.indexOf('`', start); at !== -1 && at < end; at = text.indexOf('`', at)) {
    const length = endOfRun(text, at, end) - at
    runs.push({ at, length })
    at += length
  }
  const next = new Map<number, number>()
  for (const { at, length } of runs.toReversed()) {
    const close = next.get(length)
    if (close !== undefined) spans.set(at, close + length)
    next.set(length, at)
  }
  return spans
}

function endOfRun(text: string, start: number, end: number): number {
  let at = start
  while (at < end && text[at] === text[start]) at++
  return at
}

function wikiAt(text: string, at: number, end: number): ScannedLink | undefined {
  if (text[at + 1] !== '[') return undefined
  const from = at + 2
  for (let to = from; to + 1 < end; to++) {
    const character = text[to]
    if (character === '[' || character === '\n') return undefined
    if (character !== ']') continue
    if (text[to + 1] !== ']' || to === from) return undefined
    const embed = isEmbed(text, at)
    return { kind: 'wiki', embed, start: embed ? at - 1 : at, end: to + 2, from, to }
  }
  return undefined
}

const isEmbed = (text: string, bracket: number): boolean => text[bracket - 1] === '!' && text[bracket - 2] !== '\\'

type Brackets = { opened: number; closed: number }

/** The rest of `[text](address "title")` after its text. */
function addressAt(text: string, { opened, closed }: Brackets, end: number): ScannedLink | undefined {
  if (text[closed + 1] !== '(') return undefined
  const place = destinationAt(text, skipSpace(text, closed + 2, end), end)
  if (!place) return undefined
  const close = closeAfterTitle(text, place.after, end)
  if (close === undefined) return undefined
  const embed = isEmbed(text, opened)
  return { kind: 'markdown', embed, start: embed ? opened - 1 : opened, end: close + 1, from: place.from, to: place.to }
}

/** `[label]: address` at the start of a line. A footnote does not count. */
function definitionAt(text: string, lineStart: number, end: number): ScannedLink | undefined {
  let start = lineStart
  while (start < lineStart + 3 && text[start] === ' ') start++
  if (text[start] !== '[' || text[start + 1] === '^' || text[start + 1] === '[') return undefined
  for (let at = start + 1; at < end; at++) {
    const character = text[at]
    if (character === '[' || character === '\n') return undefined
    if (character === '\\') at++
    if (character !== ']') continue
    if (text[at + 1] !== ':') return undefined
    const place = destinationAt(text, skipSpace(text, at + 2, end), end)
    if (!place || place.from === place.to) return undefined
    return { kind: 'reference', embed: false, start, end: place.after, from: place.from, to: place.to }
  }
  return undefined
}

function skipSpace(text: string, start: number, end: number): number {
  let at = start
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at++
  return at
}

type Destination = { from: number; to: number; after: number }

function destinationAt(text: string, start: number, end: number): Destination | undefined {
  if (text[start] === '<') {
    for (let at = start + 1; at < end; at++) {
      const character = text[at]
      if (character === '>') return { from: start + 1, to: at, after: at + 1 }
      if (character === '<' || character === '\n') return undefined
    }
    return undefined
  }
  let depth = 0
  let at = start
  for (; at < end; at++) {
    const character = text[at]!
    // Another link begins here, so this one was never closed.
    if (character === ']' && text[at + 1] === '(') return undefined
    if (character <= ' ') break
    if (character === '\\') at++
    else if (character === '(') depth++
    else if (character === ')' && depth-- === 0) break
  }
  const to = Math.min(at, end)
  return depth > 0 ? undefined : { from: start, to, after: to }
}

/** The closing bracket after a title, if there is one: a title ends with its line. */
function closeAfterTitle(text: string, start: number, end: number): number | undefined {
  let at = skipSpace(text, start, end)
  const quote = text[at]
  if (at > start && (quote === '"' || quote === "'")) {
    for (at++; at < end && text[at] !== quote; at++)
      if (text[at] === '\n' || (text[at] === ']' && text[at + 1] === '(')) return undefined
    at = skipSpace(text, at + 1, end)
  }
  return at < end && text[at] === ')' ? at : undefined
}
