import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../../../test/requirements.ts'
import { createChangedNotes, type ChangedNotes } from './recent/changed-notes.ts'
import { readFileTable, type FileTable } from './segment/file-table.ts'
import { findInBoth } from './find-in-both.ts'
import { createWorkMemories } from './work-memory.ts'
import { fold } from './words/fold.ts'
import type { NoteContent } from './words/note-tokens.ts'
import { parseQuery, type Filter, type Phrase, type Query } from './words/query.ts'
import { createSearchBudget } from './search-budget.ts'
import { SegmentPart } from './segment/segment-part.ts'
import { openSegment, type Segment } from './segment/segment.ts'
import { writeSegment } from './segment/write-segment.ts'
import { tokensOf, type Token } from './words/tokens.ts'

const WORDS =
  'apple Apple applesauce pie plan planet planning café cafe naïve 東京都 京都 東京 プラグイン Syncプラグイン ไทย ภาษาไทย 한국어 a b x1 foo_bar Straße'.split(
    ' ',
  )
const random = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

function makeNote(number: number, version: number): NoteContent {
  const next = random(number * 31 + version * 7 + 1)
  const words = (count: number) => Array.from({ length: count }, () => WORDS[next(WORDS.length)]).join(' ')
  return {
    path: `${['', 'notes/', 'Über uns/', '日本/'][number % 4]}${words(1)} ${number}.md`,
    title: words(1 + next(3)),
    text: `${words(next(12))}\n${words(next(12))}, ${words(next(6))}. ${words(next(5)).replaceAll(' ', '')}`,
    tags: [['done'], ['work/plan', 'Été'], [], ['work']][next(4)]!,
    properties: [{ status: 'Open' }, { Status: ['open', 'in progress'], due: 3 }, {}, { nested: { a: 1 } }][next(4)]!,
  }
}

// So small that the segment is merged from several parts that were written to disk.
const SMALL_POOL = 1 << 20
// The segment of a large vault is built from two parts.
const IN_FIRST = 50

const stamp = (ino: number) => ({ size: 1, mtimeMs: 1, ctimeMs: 1, ino })
const live = new Map<string, NoteContent>()
let folder: string
let segment: Segment
let table: FileTable
let changed: ChangedNotes

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-search-'))
  const [first, behind] = ['first', 'behind'].map(
    (name) => new SegmentPart({ target: join(folder, name), poolBytes: SMALL_POOL }),
  ) as [SegmentPart, SegmentPart]
  const old = Array.from({ length: 120 }, (_, number) => makeNote(number, 0))
  old.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  for (const [index, note] of old.entries()) {
    const builder = index < IN_FIRST ? first : behind
    live.set(note.path, note)
    builder.addNote({ ...note, stamp: stamp(1), baseline: 'ab'.repeat(12), blob: 'cd'.repeat(20) })
    if (note.path.includes('7')) builder.addAttachment(`${note.path}.png`, stamp(1))
  }
  behind.spill()
  writeSegment(join(folder, 'segment'), [first.finish(), behind.finish()])
  segment = await openSegment(join(folder, 'segment'))
  table = await readFileTable(segment)
  changed = createChangedNotes(table)

  for (const [index, note] of old.entries()) {
    if (index % 6 === 0) {
      const fresh = { ...makeNote(index, 1), path: note.path }
      live.set(note.path, fresh)
      changed.put(stamp(2), fresh)
    }
    if (index % 10 === 1) {
      live.delete(note.path)
      changed.remove(note.path, 'forget')
    }
  }
  for (let number = 200; number < 230; number++) {
    const note = makeNote(number, 0)
    live.set(note.path, note)
    changed.put(stamp(3), note)
  }
  await changed.whenRead()
})
afterAll(async () => {
  await segment.close()
  await rm(folder, { recursive: true })
})

const read = new Map<string, Token[]>()

function standsIn(source: string, { terms, prefix }: Phrase): boolean {
  const tokens = read.get(source) ?? tokensOf(source)
  read.set(source, tokens)
  return tokens.some((_, start) =>
    terms.every(({ term, offset }, index) => {
      const found = tokens[start + offset]?.term
      const open = prefix && index === terms.length - 1
      return found !== undefined && (open ? found.startsWith(term) : found === term)
    }),
  )
}

const passes = ({ path, title, tags, properties }: NoteContent, filter: Filter): boolean => {
  switch (filter.kind) {
    case 'path':
      return fold(path).includes(filter.value)
    case 'title':
      return fold(title).includes(filter.value)
    case 'tag':
      return tags.some((tag) => fold(tag) === filter.value || fold(tag).startsWith(`${filter.value}/`))
    case 'prop':
      return Object.entries(properties).some(
        ([name, value]) =>
          fold(name) === filter.key &&
          (filter.value === undefined ||
            [value].flat().some((one) => fold(typeof one === 'string' ? one : JSON.stringify(one)) === filter.value)),
      )
  }
}

const bruteForce = ({ must, mustNot, filters }: Query): string[] =>
  [...live.values()]
    .filter((note) => {
      const stands = (phrase: Phrase) => [note.title, note.path, note.text].some((source) => standsIn(source, phrase))
      return (
        must.every(stands) &&
        !mustNot.some(stands) &&
        filters.every((filter) => passes(note, filter) !== filter.negated)
      )
    })
    .map(({ path }) => path)

// Shared by all searches: data that one search leaves in the memory must not change the result of the next.
const memories = createWorkMemories()

const find = async (query: Query, limit: number) => {
  const { recent, holders, hiddenNotes, hidden } = changed.view(query)
  const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
  const memory = memories.borrow()
  let reserved = 0
  const reserve = async (bytes: number) => void (reserved = bytes)
  const tiers = { view: { segment, budget, hidden, memory, reserve }, table, hiddenNotes, recent, holders }
  const findings = await findInBoth(tiers, { query, limit })
  expect(memory.wanted).toBeLessThanOrEqual(reserved)
  memories.giveBack(memory)
  return findings
}

const word = fc.constantFrom(...WORDS, 'nothing', 'ปลา', '都', 'プ')
const bare = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.tuple(word, fc.integer({ min: 1, max: 3 })).map(([text, length]) => text.slice(0, length)),
  fc.tuple(word, word).map(([a, b]) => `${a}-${b}`),
)
const part = fc.oneof(
  { weight: 5, arbitrary: bare },
  fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`),
  fc.tuple(word, word, word).map(([a, b, c]) => `"${a}${b} ${c}"`),
  fc.constantFrom('path:notes', 'path:"über uns"', 'path:日本', 'title:plan', 'title:"apple pie"', 'path:nowhere'),
  fc.constantFrom('tag:work', 'tag:#work/plan', 'tag:ete', 'tag:done', 'tag:none'),
  fc.constantFrom('prop:status', 'prop:status=open', 'prop:status="in progress"', 'prop:due=3', 'prop:nested={"a":1}'),
)
const signed = fc.tuple(fc.constantFrom('', '', '', '-'), part).map(([sign, text]) => sign + text)
const queries = fc
  .tuple(fc.array(signed, { minLength: 1, maxLength: 4 }), fc.constantFrom('', ' '))
  .map(([parts, end]) => parts.join(' ') + end)

test('1,000 generated queries find what reading every note finds, best first and page by page', async () => {
  verifies('daemon.search', 'search.as-reading')
  let withHits = 0
  await fc.assert(
    fc.asyncProperty(queries, fc.integer({ min: 1, max: 10 }), async (text, limit) => {
      const query = parseQuery(text)
      if (query.must.length + query.mustNot.length + query.filters.length === 0) return
      const all = await find(query, 1000)
      expect(all.found.map(({ path }) => path).sort()).toEqual(bruteForce(query).sort())
      expect(all.total).toBe(all.found.length)
      if (all.total > 0) withHits++

      const scores = all.found.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect((await find(query, limit)).found).toEqual(all.found.slice(0, limit))
    }),
    { numRuns: 1000, seed: 20_261_121 },
  )
  expect(withHits).toBeGreaterThan(400)
}, 60_000)

const shapes = fc.record({
  note: fc.nat(),
  from: fc.nat(),
  length: fc.integer({ min: 2, max: 4 }),
  swaps: fc.constantFrom(false, false, true),
  cut: fc.nat(4),
  kind: fc.constantFrom('quoted', 'quoted', 'as typed', 'as typed', 'excluded'),
})

type Shape = typeof shapes extends fc.Arbitrary<infer Value> ? Value : never

/** A phrase as it occurs in a note, or with its words in another order, which may occur nowhere. */
function phraseOf({ note, from, length, swaps, cut, kind }: Shape): string | undefined {
  const notes = [...live.values()]
  const { text } = notes[note % notes.length]!
  const tokens = tokensOf(text)
  const [first, last] = [
    tokens[from % tokens.length],
    tokens[Math.min(tokens.length, (from % tokens.length) + length) - 1],
  ]
  if (!first || !last) return undefined
  const words = text.slice(first.start, last.end).split(/\s+/)
  if (swaps) words.reverse()
  const phrase = words.join(' ')
  if (kind === 'as typed') return words.join('-').slice(0, Math.max(2, phrase.length - cut))
  return kind === 'quoted' ? `"${phrase}"` : `${words[0]!.replaceAll(/[,.]/g, '')} -"${phrase}"`
}

test('1,000 phrases from the notes, quoted, excluded and as they are typed, find what reading every note finds', async () => {
  verifies('daemon.search', 'search.as-reading')
  let [withHits, ofMany] = [0, 0]
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const text = phraseOf(shape)
      if (text === undefined) return
      const query = parseQuery(text)
      const all = await find(query, 1000)
      expect(all.found.map(({ path }) => path).sort(), text).toEqual(bruteForce(query).sort())
      expect(all.total).toBe(all.found.length)
      if (all.total === 0) return
      withHits++
      if (query.must.some(({ terms }) => terms.length > 1)) ofMany++
    }),
    { numRuns: 1000, seed: 20_261_124 },
  )
  expect(withHits).toBeGreaterThan(500)
  expect(ofMany).toBeGreaterThan(300)
}, 60_000)

test('a word in the title counts more than in the path, there more than in the text; rare words more than common ones', async () => {
  const names = async (text: string) => (await find(parseQuery(text), 1000)).found
  for (const { path, score } of await names('planet ')) {
    expect(score, path).toBeGreaterThan(0)
    expect(live.get(path)).toBeDefined()
  }
  const [top] = await names('applesauce ')
  expect(fold(live.get(top!.path)!.title + top!.path)).toContain('applesauce')
})
