import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHUNK_WORDS } from '../postings/note-pairs.ts'
import { rowOfTerms } from '../postings/pair-rows.ts'
import { WorkMemory } from '../work-memory.ts'
import { queryTokensOf } from '../words/tokens.ts'
import { SegmentPart } from './segment-part.ts'
import { openSegment, type Segment } from './segment.ts'
import { writeSegment } from './write-segment.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-pairs-'))
})
afterAll(() => rm(folder, { recursive: true }))

// More notes than one chunk has bits for, and parts that end within a word of bits.
const NOTES = CHUNK_WORDS * 32 + 75
const ENDS = [1, 33, 700, NOTES]

const stamp = { size: 1, mtimeMs: 2, ctimeMs: 3, ino: 4 }
const textOf = (number: number): string =>
  `one own${number} internationalisation and${number % 5} internationally 日本語 プラグイン ever after`

async function segmentOf(name: string, texts: readonly string[], ends: readonly number[]): Promise<Segment> {
  const target = join(folder, name)
  let number = 0
  const parts = ends.map((end, index) => {
    const part = new SegmentPart({ target: `${target}.${index}`, poolBytes: Number.POSITIVE_INFINITY })
    for (; number < end; number++) {
      const path = `${String(number).padStart(6, '0')}.md`
      const named = { path, title: 'Title', text: texts[number]!, tags: [], properties: {} }
      part.addNote({ ...named, stamp, baseline: 'ab'.repeat(12), blob: 'cd'.repeat(20), problem: undefined })
    }
    return part.finish()
  })
  writeSegment(target, parts)
  return openSegment(target)
}

const bitsOf = (segment: Segment, first: string, second: string): Promise<Uint8Array> =>
  segment.pairs(rowOfTerms(first, second), new WorkMemory())
const hasBit = (bits: Uint8Array, number: number): boolean => ((bits[number >>> 3]! >>> (number & 7)) & 1) === 1

test('each note has the bits of all its pairs, in every part and chunk', async () => {
  const texts = Array.from({ length: NOTES }, (_, number) => textOf(number))
  const segment = await segmentOf('all', texts, ENDS)
  for (const [number, text] of texts.entries()) {
    const tokens = queryTokensOf(text)
    const missing = []
    let pairs = 0
    for (const [index, { term, position }] of tokens.entries()) {
      const before = tokens[index - 1]
      if (before?.position !== position - 1) continue
      pairs++
      if (!hasBit(await bitsOf(segment, before.term, term), number)) missing.push(`${before.term} ${term}`)
    }
    expect({ pairs, missing }, `note ${number}`).toEqual({ pairs: 10, missing: [] })
  }
  await segment.close()
})

test('few notes have the bit of a pair that they do not have', async () => {
  const texts = Array.from(
    { length: 500 },
    (_, number) => `${'some other words '.repeat(9)} the${number} same${number}`,
  )
  const segment = await segmentOf('few', texts, [500])
  let wrong = 0
  for (let number = 0; number < 500; number++) {
    const bits = await bitsOf(segment, `the${number}`, `same${number}`)
    for (let other = 0; other < 500; other++) if (other !== number && hasBit(bits, other)) wrong++
    // In the other order it is another pair.
    if (hasBit(await bitsOf(segment, `same${number}`, `the${number}`), number)) wrong++
  }
  // A note has seven pairs, and there are 2,048 rows.
  expect(wrong / 500 ** 2).toBeLessThan(0.01)
  await segment.close()
})

test('words in two fields, and on both sides of a field, are no pair', async () => {
  const segment = await segmentOf('fields', ['first second'], [1])
  expect(hasBit(await bitsOf(segment, 'first', 'second'), 0)).toBe(true)
  expect(hasBit(await bitsOf(segment, 'title', '000000'), 0)).toBe(false)
  expect(hasBit(await bitsOf(segment, 'md', 'first'), 0)).toBe(false)
  await segment.close()
})
