import { ChangeSet, type ChangeDesc, type Text } from '@codemirror/state'

/** Two changes of one text, each as it applies after the other, and the text with both. */
export type Merged = { theirs: ChangeSet; ours: ChangeSet; text: Text }

type Change = { from: number; to: number; insert: string }
type Place = { from: number; to: number }
type Both = Omit<Merged, 'text'>

/** Two changes of `base`, with the texts that they lead to. */
type Sides = Both & { base: Text; mine: Text; other: Text }

// A longer word is data, such as an image in the text. Two versions of it would double the note.
const MAX_WORD = 1000

/**
 * Merges two changes of one text. `theirs` replaces whole words; `ours` was typed and may change a part of one. Of a word
 * that both have changed both versions stay, ours first, and words of the two sides are never joined into one. Pure.
 */
export function mergeApart(sides: Sides): Merged {
  const kept = keepingOurWords(sides)
  const theirs = kept.theirs.map(sides.ours)
  const ours = kept.back.compose(sides.ours.map(kept.theirs, true))
  const merged = { theirs, ours, text: theirs.apply(sides.mine) }
  const blanks = missingBlanks(merged, sides)
  if (!blanks) return merged
  return { theirs: theirs.compose(blanks), ours: ours.compose(blanks), text: blanks.apply(merged.text) }
}

/** Their changes without the removal of words that we have changed, and the change that brings those back after theirs. */
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
    changes.push({ from: at, to, insert: inserted.toString() })
    back.push({ from: fromB, to: fromB, insert: kept })
  }, true)
  return { theirs: ChangeSet.of(changes, base.length, '\n'), back: ChangeSet.of(back, theirs.newLength, '\n') }
}

/** The words of a text that a change leaves in part, or continues, in order. */
function changedWords(base: Text, changes: ChangeSet): Place[] {
  const found: Place[] = []
  changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    const typed = inserted.toString()
    for (const edge of from === to ? [from] : [from, to]) {
      const word = wordAt(base, edge)
      if (word.to - word.from > MAX_WORD || edge <= (found.at(-1)?.to ?? -1)) continue
      const isInside = word.from < edge && edge < word.to
      const isContinued = from === to && continuesWord(typed, edge === word.to)
      if (word.from < word.to && (isInside || isContinued)) found.push(word)
    }
  }, true)
  return found
}

/** Blanks for the places where the merge has joined words that are neighbours in neither of the two texts. */
function missingBlanks(merged: Merged, { mine, other }: { mine: Text; other: Text }): ChangeSet | undefined {
  const { text } = merged
  const edges = edgesOf(merged.ours)
  const origins = [
    { before: mine, back: merged.theirs.invertedDesc },
    { before: other, back: merged.ours.invertedDesc },
  ]
  const blanks = [...edgesOf(merged.theirs)]
    .filter((place) => edges.has(place) && isJoint(text, place))
    .map((place) => {
      const beginsLine = origins.some(({ before, back }) => isLineStart(before, back.mapPos(place, 1)))
      const endsLine = origins.some(({ before, back }) => isLineEnd(before, back.mapPos(place, -1)))
      return { from: place, insert: beginsLine && endsLine ? '\n' : ' ' }
    })
  return blanks.length > 0 ? ChangeSet.of(blanks, text.length, '\n') : undefined
}

/** True where two words meet; a sign, such as a comma, may follow a word. */
export function isJoint(text: Text, place: number): boolean {
  const { from, to } = wordAt(text, place)
  return hasLetter(text.sliceString(from, place)) && hasLetter(text.sliceString(place, to))
}

/** The characters around a place up to the next blanks; of a very long word as many as matter. */
export function wordAt(text: Text, place: number): Place {
  const line = text.lineAt(place)
  const at = place - line.from
  let [from, to] = [at, at]
  while (from > 0 && at - from <= MAX_WORD && !isBlank(line.text[from - 1]!)) from--
  while (to < line.length && to - at <= MAX_WORD && !isBlank(line.text[to]!)) to++
  return { from: line.from + from, to: line.from + to }
}

function edgesOf(changes: ChangeDesc): Set<number> {
  const edges = new Set<number>()
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => edges.add(fromB).add(toB), true)
  return edges
}

/** True when typed text continues a word that ends where it begins, or begins where it ends. */
function continuesWord(typed: string, isBehind: boolean): boolean {
  const [part] = isBehind ? typed.split(/\s/, 1) : typed.split(/\s/).slice(-1)
  return hasLetter(part!)
}

const isLineStart = (text: Text, place: number): boolean => text.lineAt(place).from === place
const isLineEnd = (text: Text, place: number): boolean => text.lineAt(place).to === place
const hasLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
const isBlank = (character: string): boolean => /\s/.test(character)
