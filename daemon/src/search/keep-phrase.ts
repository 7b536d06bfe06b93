import { keepWhere, type Candidates } from './candidates.ts'
import { PhraseWalk, type Starts } from './phrase-walk.ts'
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

  const places = await Promise.all(whole.map((word) => placesOf(view, word)))
  const walk = new PhraseWalk(found, { words: places, keepsStarts: open !== undefined })
  while (walk.goOn()) await view.budget.pause()
  if (open && found.count > 0) await keepOpen(view, found, { open, starts: walk.kept })
}

/** `notes`: all notes with the word, hidden ones too. */
type Words = { phrase: Phrase; terms: readonly { entries: readonly TermEntry[]; notes: Candidates }[] }

async function placesOf(view: SegmentView, { offset, entries, notes }: Word): Promise<WordPlaces> {
  const positions = await view.segment.read('positions', entries, view.memory)
  return new WordPlaces({ numbers: notes.numbers, positions, offset })
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
