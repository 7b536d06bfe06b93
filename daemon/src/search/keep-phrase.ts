import { keepWhere, type Candidates } from './candidates.ts'
import { PhraseWalk, type Starts } from './phrase-walk.ts'
import type { SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import { decodePostings } from './spans/decode-postings.ts'
import { WordPlaces } from './word-places.ts'
import type { Phrase } from './words/query.ts'

// Longer words, or bytes of their places, to go through between two checks of the clock: well under a millisecond.
const STRIDE = 8192

type Word = { offset: number; entries: readonly TermEntry[]; notes: Candidates }

/** Keeps the notes in which the words of a phrase follow each other. All of the notes hold all words. */
export async function keepPhrase(view: SegmentView, found: Candidates, { phrase, terms }: Words): Promise<void> {
  if (phrase.terms.length === 1 || found.count === 0) return
  const words = phrase.terms.map(({ offset }, index): Word => ({ offset, ...terms[index]! }))
  // The last word may go on, and may then be any of many.
  const open = words.find(({ entries }) => entries.length > 1)
  const whole = words.filter((word) => word !== open)
  // The fewest places first: where none of them is left, the other words are not looked at.
  whole.sort((a, b) => a.entries[0]!.positions.length - b.entries[0]!.positions.length)

  const places = await Promise.all(whole.map((word) => placesOf(view, word)))
  const walk = new PhraseWalk(found, { words: places, keepsStarts: open !== undefined })
  while (walk.goOn()) await view.budget.pause()
  if (open && found.count > 0) await keepOpen(view, found, { open, starts: walk.kept })
}

/** `notes`: all that hold a word, hidden ones too. */
type Words = { phrase: Phrase; terms: readonly { entries: readonly TermEntry[]; notes: Candidates }[] }

async function placesOf(view: SegmentView, { offset, entries, notes }: Word): Promise<WordPlaces> {
  const positions = await view.segment.read('positions', entries, view.memory)
  return new WordPlaces({ numbers: notes.numbers, positions, offset })
}

/** Keeps the notes in which one of the longer words stands behind the other words of the phrase. */
async function keepOpen(
  view: SegmentView,
  found: Candidates,
  { open, starts }: { open: Word; starts: Starts },
): Promise<void> {
  const { segment, budget, memory } = view
  const [places, postings] = await Promise.all([placesOf(view, open), segment.read('postings', open.entries, memory)])
  // By the number of a note its index among those found, counted from 1; 0 when there is nothing to look for in it.
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
      places.continueWith(numbers)
      for (let each = 0; each < count; each++) {
        places.seek(numbers[each]!)
        const index = wanted[places.note]! - 1
        if (index >= 0 && starts.meet(index, places)) wanted[places.note] = 0
        work += 1 + places.bytes
        if (work < STRIDE) continue
        work = 0
        await budget.pause()
      }
    }
  }
  keepWhere(found, (index) => wanted[found.numbers[index]!] === 0)
}
