import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../../../test/requirements.ts'
import { createChangedNotes } from './recent/changed-notes.ts'
import { findInBoth, type Found } from './find-in-both.ts'
import { rarity, termScore } from './ranking.ts'
import { createSearchBudget } from './search-budget.ts'
import { WorkMemory } from './work-memory.ts'
import { readFileTable, type FileTable } from './segment/file-table.ts'
import { SegmentPart } from './segment/segment-part.ts'
import { openSegment, type Segment } from './segment/segment.ts'
import { writeSegment } from './segment/write-segment.ts'
import type { NoteContent } from './words/note-tokens.ts'
import { parseQuery } from './words/query.ts'

// Postings have spans once a word occurs in 1,024 notes. Each of these words occurs in exactly this many notes of the
// segment.
const WORDS = { everywhere: 5000, often: 3000, seldom: 1100, enough: 1024, short: 1023, last: 1153, alone: 2000 }
const NOTES = 5000
const IN_FIRST = 1700
const WEIGHTS = { title: 4, path: 2, text: 1 }

type Words = { title: string[]; path: string[]; text: string[] }
type Note = { path: string; words: Words }

const stamp = (ino: number) => ({ size: 1, mtimeMs: 1, ctimeMs: 1, ino })
const contentOf = ({ path, words }: Note): NoteContent => ({
  path,
  title: words.title.join(' '),
  text: words.text.join(' '),
  tags: [],
  properties: {},
})

/** Random numbers below a limit; the same seed gives the same numbers. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

type Kind = { seed: number; fillers: number; prefix?: string }

function makeNote(number: number, { seed, fillers, prefix = 'n' }: Kind): Note {
  const random = randomFrom(number * 97 + seed)
  const name = `${prefix}${String(number).padStart(5, '0')}`
  const its = Object.entries(WORDS).flatMap(([word, count]) => (number < count ? [word] : []))
  const words: Words = { title: [name], path: [name, 'md'], text: [] }
  for (const word of its) {
    const times = random(8) === 0 ? 1 + random(9) : 1
    for (let left = times; left > 0; left--) words.text.push(word)
    if (random(40) === 0) words.title.push(word)
  }
  for (let left = random(fillers); left > 0; left--) words.text.push(`filler${random(50)}`)
  return { path: `${name}.md`, words }
}

let folder: string
let segment: Segment
let table: FileTable
const old = Array.from({ length: NOTES }, (_, number) => makeNote(number, { seed: 1, fillers: 30 }))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-common-'))
  const parts = [old.slice(0, IN_FIRST), old.slice(IN_FIRST)].map((notes, index) => {
    const part = new SegmentPart({ target: join(folder, String(index)), poolBytes: Number.POSITIVE_INFINITY })
    for (const note of notes)
      part.addNote({
        ...contentOf(note),
        stamp: stamp(1),
        baseline: 'ab'.repeat(12),
        blob: 'cd'.repeat(20),
        problem: undefined,
      })
    return part.finish()
  })
  writeSegment(join(folder, 'segment'), parts)
  segment = await openSegment(join(folder, 'segment'))
  table = await readFileTable(segment)
})
afterAll(async () => {
  await segment.close()
  await rm(folder, { recursive: true })
})

const tokensOf = ({ words }: Note): number => words.title.length + words.path.length + words.text.length

/** All notes with a word, ranked by scoring each of them. */
function rankAll(
  word: string,
  live: ReadonlyMap<string, Note>,
  averageLength: number,
): Pick<Found, 'path' | 'score'>[] {
  const weigh = ({ words }: Note) =>
    (['title', 'path', 'text'] as const).reduce(
      (sum, field) => sum + WEIGHTS[field] * words[field].filter((each) => each === word).length,
      0,
    )
  const holding = Array.from(live.values(), (note) => ({ note, weight: weigh(note) })).filter(
    ({ weight }) => weight > 0,
  )
  const corpus = { notes: live.size, averageLength }
  return holding
    .map(({ note, weight }) => ({
      path: note.path,
      score: Math.fround(rarity(corpus, holding.length) * termScore(corpus, weight, tokensOf(note))),
    }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}

const states = {
  'as it was when the segment was built': { fillers: 0, every: 0 },
  'with longer notes': { fillers: 600, every: 9 },
  'with shorter notes': { fillers: 1, every: 6 },
}

test.each(Object.entries(states))(
  'pages of common words are those of scoring every note, in a vault %s',
  async (_, { fillers, every }) => {
    verifies('daemon.search')
    const live = new Map(old.map((note) => [note.path, note]))
    const changed = createChangedNotes(table)
    const recent: Note[] = []
    const put = (note: Note) => {
      recent.push(note)
      live.set(note.path, note)
      changed.put(stamp(2), contentOf(note))
    }
    for (let number = 0; every > 0 && number < NOTES; number += every) {
      if (number % (every * 3) !== 0) put(makeNote(number, { seed: 2, fillers }))
      else {
        live.delete(old[number]!.path)
        changed.remove(old[number]!.path, 'forget')
      }
    }
    if (every > 0) for (let number = 0; number < 20; number++) put(makeNote(number, { seed: 3, fillers, prefix: 'g' }))
    await changed.whenRead()
    const tokens = [...old, ...recent].map(tokensOf)
    const averageLength = tokens.reduce((sum, count) => sum + count, 0) / tokens.length

    const ranked = new Map(Object.keys(WORDS).map((word) => [word, rankAll(word, live, averageLength)]))
    const page = fc.record({
      word: fc.constantFrom(...Object.keys(WORDS)),
      limit: fc.integer({ min: 1, max: 60 }),
      pages: fc.oneof({ weight: 4, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(200) }),
    })
    await fc.assert(
      fc.asyncProperty(page, async ({ word, limit, pages }) => {
        const query = parseQuery(`${word} `)
        const { recent: found, holders, hiddenNotes, hidden } = changed.view(query)
        const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
        const tiers = {
          view: { segment, budget, hidden, memory: new WorkMemory(), reserve: async () => {} },
          table,
          hiddenNotes,
          recent: found,
          holders,
        }
        const findings = await findInBoth(tiers, { query, limit: (pages + 1) * limit })
        const all = ranked.get(word)!
        expect(findings.total).toBe(all.length)
        expect(findings.found.map(({ path, score }) => ({ path, score }))).toEqual(all.slice(0, (pages + 1) * limit))
      }),
      { numRuns: 200, seed: 20_261_123 },
    )
  },
  60_000,
)

test('a word that goes on in one way only is found in spans too, and counts half', async () => {
  const changed = createChangedNotes(table)
  const find = async (text: string) => {
    const query = parseQuery(text)
    const { recent, holders, hiddenNotes, hidden } = changed.view(query)
    const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
    const tiers = {
      view: { segment, budget, hidden, memory: new WorkMemory(), reserve: async () => {} },
      table,
      hiddenNotes,
      recent,
      holders,
    }
    return findInBoth(tiers, { query, limit: 30 })
  }
  const [whole, begun] = [await find('alone '), await find('alon')]
  expect(begun.total).toBe(whole.total)
  expect(begun.found[0]!.score).toBeLessThan(whole.found[0]!.score)
})
