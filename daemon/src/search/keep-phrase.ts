import { keepWhere, type Candidates } from './candidates.ts'
import { PhraseWalk, type PhraseWord, type Starts } from './phrase-walk.ts'
import type { SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import { decodePostings } from './spans/decode-postings.ts'
import { WordPlaces } from './word-places.ts'
import type { Phrase } from './words/query.ts'

// Work between two checks of the clock, in notes and bytes of positions: well under a millisecond.
const STRIDE = 8192

type Word = { offset: number; entries: readonly TermEntry[]; notes: Candidates }

/** Keeps the notes in which the words of a phrase follow each other. All the notes given contain all the words. */
export async function keepPhrase(view: SegmentView, found: Candidates, { phrase, terms }: Words): Promise<void> {
  if (phrase.terms.length === 1 || found.count === 0) return
  const words = phrase.terms.map(({ offset }, index): Word => ({ offset, ...terms[index]! }))
  // The last word may be a prefix, and then stands for many words.
  const open = words.find(({ entries }) => entries.length > 1)
  const whole = words.filter((word) => word !== open)
  // The word with the fewest places first: when no start is left, the places of the other words are not read.
  whole.sort((a, b) => a.entries[0]!.positions.length - b.entries[0]!.positions.length)

  const placed = await Promise.all(whole.map((word) => withBegins(view, word)))
  const walk = new PhraseWalk(found, { words: placed, keepsStarts: open !== undefined })
  while (walk.goOn()) await view.budget.pause()
  if (open && found.count > 0) await keepOpen(view, found, { open, starts: walk.kept })
}

/** `notes`: all notes with the word, hidden ones too. */
type Words = { phrase: Phrase; terms: readonly { entries: readonly TermEntry[]; notes: Candidates }[] }

async function placesOf({ segment, memory }: SegmentView, { offset, entries }: Word): Promise<WordPlaces> {
  return new WordPlaces({ positions: await segment.read('positions', entries, memory), offset })
}

/**
 * The places of a word that is not a prefix. Knowing where those of each note begin is faster than searching for the
 * next wanted note, whose distance the processor cannot predict.
 */
async function withBegins(view: SegmentView, word: Word): Promise<PhraseWord> {
  const { segment, budget, memory } = view
  const { numbers, count } = word.notes
  const places = await placesOf(view, word)
  const begins = memory.integers(segment.files)
  for (let [from, at] = [0, 0]; from < count; from += STRIDE) {
    at = places.begins(numbers.subarray(from, Math.min(count, from + STRIDE)), { at, into: begins })
    await budget.pause()
  }
  return { places, begins }
}

/** Keeps the notes in which a word that begins with the prefix follows the other words of the phrase. */
async function keepOpen(
  view: SegmentView,
  found: Candidates,
  { open, starts }: { open: Word; starts: Starts },
): Promise<void> {
  const { segment, budget, memory } = view
  const [places, postings] = await Promise.all([placesOf(view, open), segment.read('postings', open.entries, memory)])
  // By note number: the note's index in `found`, plus 1; 0 when the note need not be examined.
  const wanted = memory.integers(segment.files).fill(0)
  for (let index = 0; index < found.count; index++) wanted[found.numbers[index]!] = index + 1

  const numbers = memory.integers(STRIDE)
  const weights = memory.floats(STRIDE)
  let [work, at] = [0, 0]
  for (const { notes } of open.entries) {
    let before = -1
    for (let left = notes; left > 0; left -= STRIDE) {
      const count = Math.min(left, STRIDE)
      at = decodePostings(postings, { at, before, count }, { numbers, weights, from: 0 })
      before = numbers[count - 1]!
      for (let each = 0; each < count; each++) {
        places.goTo()
        const note = numbers[each]!
        const index = wanted[note]! - 1
        if (index >= 0 && starts.meet(index, places)) wanted[note] = 0
        work += 1 + places.bytes
        if (work < STRIDE) continue
        work = 0
        await budget.pause()
      }
    }
  }
  keepWhere(found, (index) => wanted[found.numbers[index]!] === 0)
}
