import { keepWhere, keepWithBit, type Candidates } from './candidates.ts'
import { eachInTurn, onceFor } from './once-for.ts'
import { PhraseWalk, type PhraseWord, type Starts } from './phrase-walk.ts'
import type { SegmentView } from './segment-postings.ts'
import type { TermEntry } from './segment/dictionary-terms.ts'
import { decodePostings } from './spans/decode-postings.ts'
import { WordPlaces } from './word-places.ts'
import type { Phrase } from './words/query.ts'

// Work between two checks of the clock, in notes and bytes of positions: well under a millisecond.
const STRIDE = 8192
// A word without an entry is in no note, and so has no places.
const NONE = new Uint8Array(0)

type Term = { entries: readonly TermEntry[]; notes: Candidates; positions?: Uint8Array | undefined }
type Word = { offset: number; term: Term }

/** Keeps the notes in which the words of a phrase follow each other. All the notes given contain all the words. */
export async function keepPhrase(view: SegmentView, found: Candidates, { phrase, terms, pairs }: Words): Promise<void> {
  if (phrase.terms.length === 1 || found.count === 0) return
  for (const bits of pairs) keepWithBit(found, bits)
  const words = phrase.terms.map(({ offset }, index): Word => ({ offset, term: terms[index]! }))
  // The last word may be a prefix, and then stands for many words.
  const open = words.find(({ term }) => term.entries.length > 1)
  const whole = words.filter((word) => word !== open)
  // The word with the fewest places first: when no start is left, the places of the other words are not read.
  const bytesOf = ({ term }: Word) => term.entries[0]!.positions.length
  whole.sort((a, b) => bytesOf(a) - bytesOf(b))

  const walk = new PhraseWalk(found, {
    words: await withBegins(view, found, whole),
    keepsStarts: open !== undefined,
  })
  while (walk.goOn()) await view.budget.pause()
  if (open && found.count > 0) await keepOpen(view, found, { open, starts: walk.kept })
}

/** `notes`: all notes with the word, hidden ones too. `pairs`: bits of the notes that may have two of the words in a row. */
type Words = { phrase: Phrase; terms: readonly Term[]; pairs: readonly Uint8Array[] }

/** The places of words that are not prefixes. The beginnings for a word that is repeated are searched for once. */
async function withBegins(view: SegmentView, found: Candidates, words: readonly Word[]): Promise<PhraseWord[]> {
  const placesOf = onceFor(async ({ positions = NONE, notes }: Term) => {
    await view.budget.pause()
    return { positions, begins: await findBegins(view, found, { positions, notes }) }
  })
  return eachInTurn(words, async ({ term, offset }) => {
    const { positions, begins } = await placesOf(term)
    return { places: new WordPlaces({ positions, offset }), begins }
  })
}

/**
 * Where the places of a word begin in each note found. Knowing it is faster than searching for the next wanted note,
 * whose distance the processor cannot predict.
 */
async function findBegins(
  { budget, memory }: SegmentView,
  found: Candidates,
  { positions, notes: { numbers, count } }: { positions: Uint8Array; notes: Candidates },
): Promise<Uint32Array> {
  const places = new WordPlaces({ positions, offset: 0 })
  const into = memory.integers(found.count)
  const wanted = found.numbers.subarray(0, found.count)
  for (let from = 0; from < count; from += STRIDE) {
    places.findBegins(numbers.subarray(from, Math.min(count, from + STRIDE)), { wanted, into })
    await budget.pause()
  }
  return into
}

/** Keeps the notes in which a word that begins with the prefix follows the other words of the phrase. */
async function keepOpen(
  view: SegmentView,
  found: Candidates,
  { open, starts }: { open: Word; starts: Starts },
): Promise<void> {
  const { segment, budget, memory } = view
  const [positions, postings] = await Promise.all([
    segment.read('positions', open.term.entries, memory),
    segment.read('postings', open.term.entries, memory),
  ])
  const places = new WordPlaces({ positions, offset: open.offset })
  // By note number: the note's index in `found`, plus 1; 0 when the note need not be examined.
  const wanted = memory.integers(segment.files).fill(0)
  for (let index = 0; index < found.count; index++) wanted[found.numbers[index]!] = index + 1

  const numbers = memory.integers(STRIDE)
  const weights = memory.floats(STRIDE)
  let [work, at] = [0, 0]
  for (const { notes } of open.term.entries) {
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
