import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asciiTerm } from '../words/tokens.ts'
import { feedNote, type NoteContent } from '../words/note-tokens.ts'
import { NotePostings } from './note-postings.ts'
import { orderedStream, TermBytes } from '../segment/posting-runs.ts'
import { VarintReader } from '../segment/varint.ts'

/** The weight and places of each term of a note, computed from text that is scanned in the way of changed notes. */
function expected(note: NoteContent): Record<string, { weight: number; places: number[] }> {
  const terms: ReturnType<typeof expected> = {}
  const add = (term: string, weight: number, places: number[]) => {
    const known = (terms[term] ??= { weight: 0, places: [] })
    known.weight += weight
    known.places.push(...places)
  }
  const feeding = feedNote(note, {
    ascii: (text, start, end, position, weight) => add(asciiTerm(text, start, end), weight, [position]),
    term: (term, position, weight) => add(term, weight, [position]),
    filterTerm: (term) => add(term, 1, []),
  })
  while (!feeding.next().done);
  return terms
}

function collected(note: NoteContent): ReturnType<typeof expected> {
  const postings = new NotePostings()
  postings.add(0, note)
  const terms: ReturnType<typeof expected> = {}
  const sorted = postings.sort()
  for (const [index, term] of sorted.order.entries()) {
    const bytes = new TermBytes()
    orderedStream(sorted).appendTo(bytes, index)
    const posting = new VarintReader(bytes.postings, 0)
    posting.next()
    const weight = posting.next()
    const reader = new VarintReader(bytes.positions, 0)
    const places: number[] = []
    const end = reader.next() + reader.at
    for (let next = 0; reader.at < end;) places.push((next += reader.next() + (places.length > 0 ? 1 : 0)))
    expect({ postings: posting.at, positions: reader.at }).toEqual({
      postings: bytes.postingsEnd,
      positions: bytes.positionsEnd,
    })
    terms[Buffer.from(postings.terms.bytesOf(term)).toString()] = { weight, places }
  }
  return terms
}

const piece = fc.constantFrom(
  'word',
  'Word',
  'WORD_9',
  'x'.repeat(70),
  'é',
  'caf',
  'naïve',
  'e\u0301',
  '\u0301',
  'ß',
  'İ',
  'ﬁ',
  'Straße',
  '—',
  '’',
  '日本',
  '語',
  'プラグイン',
  'ー',
  'ไทย',
  '한국',
  '😀',
  '\ud83d',
  '\ude00',
  ' ',
  ' ',
  '\n',
  '.',
  '-',
  '#',
  '\0',
  '\uFEFF',
)
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

test('a segment has the terms and places that changed notes are searched by', () => {
  fc.assert(
    fc.property(text, text, text, (body, title, path) => {
      const note = { path, title, text: body, tags: ['a/b'], properties: { status: 'open' } }
      expect(collected(note)).toEqual(expected(note))
    }),
  )
})

test.each([43, 44, 128, 16_500])('all places are kept of a word that stands in a note %i times', (times) => {
  const note = { path: 'p', title: 't', text: 'often rare '.repeat(times), tags: [], properties: {} }
  expect(collected(note)).toEqual(expected(note))
})

test('postings are sorted by term as often as memory is full, and go on where they ended', () => {
  const postings = new NotePostings()
  const words = Array.from({ length: 300 }, (_, number) => `word${number}`)
  const found: Record<string, number[]> = {}
  const notesOfWords: Record<string, number[]> = {}
  const last: Record<string, number> = {}
  for (let number = 0; number < 400; number++) {
    const own = words.filter((_, index) => (number * 7 + index) % (index + 1) === 0)
    for (const word of own) (notesOfWords[word] ??= []).push(number)
    postings.add(number, { path: '', title: '', text: own.join(' '), tags: [], properties: {} })
    if (number % 130 !== 129 && number !== 399) continue
    const sorted = postings.sort()
    expect(postings.bytes).toBe(0)
    for (const [index, term] of sorted.order.entries()) {
      const word = Buffer.from(postings.terms.bytesOf(term)).toString()
      const bytes = new TermBytes()
      orderedStream(sorted).appendTo(bytes, index)
      const reader = new VarintReader(bytes.postings, 0)
      while (reader.at < bytes.postingsEnd) {
        const note = (last[word] ?? 0) + reader.next()
        reader.next()
        last[word] = note + 1
        ;(found[word] ??= []).push(note)
      }
    }
  }
  expect(found).toEqual(notesOfWords)
})

test('terms are in the order of their bytes', () => {
  const postings = new NotePostings()
  const words = ['b', 'ab', 'abc', 'abcde', 'abcdf', 'abcd', 'a', 'é', 'z9', 'ж']
  postings.add(0, { path: '', title: '', text: words.join(' '), tags: [], properties: {} })
  const order = Array.from(postings.terms.sorted(), (term) => Buffer.from(postings.terms.bytesOf(term)))
  expect(order).toEqual(order.toSorted(Buffer.compare))
  expect(order).toHaveLength(words.length)
})

test('terms that differ only in how many zeros end them, or only far behind their start, are kept apart and in order', () => {
  const postings = new NotePostings()
  const properties = Object.fromEntries(Array.from({ length: 110 }, (_, count) => [`p${'\0'.repeat(count)}`, null]))
  const words = Array.from({ length: 300 }, (_, number) => `${'same'.repeat(14)}${number}`)
  postings.add(0, { path: '', title: '', text: words.join(' '), tags: [], properties })
  postings.add(1, { path: '', title: '', text: words.toReversed().join(' '), tags: [], properties })
  const order = Array.from(postings.terms.sorted(), (term) => Buffer.from(postings.terms.bytesOf(term)))
  expect(order).toEqual(order.toSorted(Buffer.compare))
  // Each property has a term for its name and one for its value.
  expect(order).toHaveLength(2 * 110 + words.length)
})
