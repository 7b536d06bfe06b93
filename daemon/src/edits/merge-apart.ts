import { ChangeSet, type ChangeDesc, type Text } from '@codemirror/state'

/** Two changes of one text, each as it applies after the other, and the text with both. */
export type Merged = { theirs: ChangeSet; ours: ChangeSet; text: Text }

type Change = { from: number; to: number; insert: string | Text }
type Place = { from: number; to: number }
type Both = Omit<Merged, 'text'>

/** Two changes of `base`, with the texts that they lead to. */
type Sides = Both & { base: Text; mine: Text; other: Text }

// A longer word is data, such as an image in the text. Two versions of it would double the note.
const MAX_WORD = 1000

/**
 * Merges two changes of one text. `theirs` replaces whole words; `ours` was typed and may change a part of a word. If
 * both changed the same word, both versions stay, ours first. Words of the two sides are never joined into one. Whole
 * lines that they insert at the start of a line that we changed come before our line, which stays one line. Pure.
 */
export function mergeApart(sides: Sides): Merged {
  const split = linesAbove(sides)
  if (!split) return mergeWords(sides)
  const { base, mine, other, ours } = sides
  const { lines, rest } = split
  const above = lines.map(ours, true)
  const below = { base: lines.apply(base), mine: above.apply(mine), other, ours: ours.map(lines), theirs: rest }
  const merged = mergeWords(below)
  return { ...merged, theirs: above.compose(merged.theirs) }
}

function mergeWords(sides: Sides): Merged {
  const kept = keepingOurWords(sides)
  const theirs = kept.theirs.map(sides.ours)
  const ours = kept.back.compose(sides.ours.map(kept.theirs, true))
  const merged = { theirs, ours, text: theirs.apply(sides.mine) }
  const blanks = missingBlanks(merged, sides)
  if (!blanks) return merged
  return { theirs: theirs.compose(blanks), ours: ours.compose(blanks), text: blanks.apply(merged.text) }
}

/**
 * Splits their changes: the whole lines that they insert above lines that begin with a change of ours, and the rest, as
 * it applies after those lines.
 */
function linesAbove({ base, ours, theirs }: Sides): { lines: ChangeSet; rest: ChangeSet } | undefined {
  const starts = new Set<number>()
  const ends = new Set<number>()
  ours.iterChanges((from, to) => {
    starts.add(from)
    if (from < to) ends.add(to)
  }, true)
  const found: Change[] = []
  const others: Change[] = []
  theirs.iterChanges((from, to, _fromB, _toB, inserted) => {
    const isLines = from === to && inserted.lines > 1 && inserted.line(inserted.lines).length === 0
    const isAbove = isLines && isLineStart(base, from) && starts.has(from) && !ends.has(from)
    const change = { from, to, insert: inserted }
    if (isAbove) found.push(change)
    else others.push(change)
  }, true)
  if (found.length === 0) return undefined
  const lines = ChangeSet.of(found, base.length, '\n')
  return { lines, rest: ChangeSet.of(others, base.length, '\n').map(lines) }
}

/**
 * Their changes without the removal of words that we have changed (`theirs`), and a change that inserts those words
 * again after their changes (`back`).
 */
function keepingOurWords({ base, ours, theirs }: Both & { base: Text }): { theirs: ChangeSet; back: ChangeSet } {
  const words = changedWords(base, ours)
  const changes: Change[] = []
  const back: Change[] = []
  let next = 0
  theirs.iterChanges((from, to, fromB, _toB, inserted) => {
    while (next < words.length && words[next]!.from < from) next++
    let [at, kept] = [from, '']
    for (; next < words.length && words[next]!.to <= to; next++) {
      const word = words[next]!
      const blank = kept === '' ? '' : ' '
      changes.push({ from: at, to: word.from, insert: blank })
      kept += blank + base.sliceString(word.from, word.to)
      at = word.to
    }
    changes.push({ from: at, to, insert: inserted })
    back.push({ from: fromB, to: fromB, insert: kept })
  }, true)
  return { theirs: ChangeSet.of(changes, base.length, '\n'), back: ChangeSet.of(back, theirs.newLength, '\n') }
}

/** The words of a text that a change alters only in part, or continues, in order. */
function changedWords(base: Text, changes: ChangeSet): Place[] {
  const found: Place[] = []
  changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    for (const edge of from === to ? [from] : [from, to]) {
      const word = wordAt(base, edge)
      if (word.to - word.from > MAX_WORD || edge <= (found.at(-1)?.to ?? -1)) continue
      const isInside = word.from < edge && edge < word.to
      const isContinued = from === to && continuesWord(inserted, edge === word.to)
      if (word.from < word.to && (isInside || isContinued)) found.push(word)
    }
  }, true)
  return found
}

/** Blanks for the places where the merge has joined words that are neighbours in neither of the two texts. */
function missingBlanks(merged: Merged, { mine, other }: { mine: Text; other: Text }): ChangeSet | undefined {
  const { text } = merged
  const origins = [
    { before: mine, back: merged.theirs.invertedDesc },
    { before: other, back: merged.ours.invertedDesc },
  ]
  const blanks = meetings(merged)
    .filter((place) => isJoint(text, place))
    .map((place) => {
      const beginsLine = origins.some(({ before, back }) => isLineStart(before, back.mapPos(place, 1)))
      const endsLine = origins.some(({ before, back }) => isLineEnd(before, back.mapPos(place, -1)))
      return { from: place, insert: beginsLine && endsLine ? '\n' : ' ' }
    })
  return blanks.length > 0 ? ChangeSet.of(blanks, text.length, '\n') : undefined
}

/** True where two words meet; punctuation, such as a comma, may follow a word. */
export function isJoint(text: Text, place: number): boolean {
  const { from, to } = wordAt(text, place)
  return hasLetter(text.sliceString(from, place)) && hasLetter(text.sliceString(place, to))
}

/** The characters around a place up to the next blanks; of a very long word, only as many as matter. */
export function wordAt(text: Text, place: number): Place {
  const line = text.lineAt(place)
  const at = place - line.from
  let [from, to] = [at, at]
  while (from > 0 && at - from <= MAX_WORD && !isBlank(line.text[from - 1]!)) from--
  while (to < line.length && to - at <= MAX_WORD && !isBlank(line.text[to]!)) to++
  return { from: line.from + from, to: line.from + to }
}

/** The places, in order, where one side begins or ends a change next to or within a change of the other side. */
function meetings({ ours, theirs }: Merged): number[] {
  const [mine, other] = [rangesOf(ours), rangesOf(theirs)]
  const places = new Set([...edgesWithin(mine, other), ...edgesWithin(other, mine)])
  return [...places].sort((one, next) => one - next)
}

/** The edges of ranges that are within other ranges or at their edges. Both lists are in order. */
function edgesWithin(ranges: readonly Place[], others: readonly Place[]): number[] {
  let next = 0
  return ranges
    .flatMap(({ from, to }) => [from, to])
    .filter((edge) => {
      while (next < others.length && others[next]!.to < edge) next++
      return next < others.length && others[next]!.from <= edge
    })
}

function rangesOf(changes: ChangeDesc): Place[] {
  const ranges: Place[] = []
  changes.iterChangedRanges((_fromA, _toA, from, to) => ranges.push({ from, to }), true)
  return ranges
}

/** True if typed text continues the word before it (`isBehind`) or after it. */
function continuesWord(typed: Text, isBehind: boolean): boolean {
  const line = typed.line(isBehind ? 1 : typed.lines).text
  const [part] = isBehind ? line.split(/\s/, 1) : line.split(/\s/).slice(-1)
  return hasLetter(part!)
}

const isLineStart = (text: Text, place: number): boolean => text.lineAt(place).from === place
const isLineEnd = (text: Text, place: number): boolean => text.lineAt(place).to === place
const hasLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
const isBlank = (character: string): boolean => /\s/.test(character)
