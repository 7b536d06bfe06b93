import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { threadCpuMs } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { findInBoth } from './find-in-both.ts'
import { createChangedNotes, type ChangedNotes } from './recent/changed-notes.ts'
import { readFileTable, type FileTable } from './segment/file-table.ts'
import { SegmentPart } from './segment/segment-part.ts'
import { openSegment, type Segment } from './segment/segment.ts'
import { writeSegment } from './segment/write-segment.ts'
import { snippetsOf } from './snippets.ts'
import { parseQuery } from './words/query.ts'
import { WorkMemory } from './work-memory.ts'

const NOTES = 3000
const CHANGED = 900
// Just below the size from which a changed note waits for the next segment.
const LARGE = 500 * 1024
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

const common = LETTERS.flatMap((letter) => [letter, ...LETTERS.slice(0, 8).map((other) => letter + other)])
const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const distinct = (length: number) => {
  let text = ''
  for (let number = 0; text.length < length; number++) text += `a${number.toString(36)} `
  return text
}
const noteOf = (path: string, text: string) => ({ path, title: path, text, tags: ['a'], properties: {} })
const stamp = (ino: number) => ({ size: 1, mtimeMs: 1, ctimeMs: 1, ino })

// Each is as long as a query may be.
const queries = Object.entries({
  'one word again and again': 'the ',
  'one word again and again, quoted': '"the the the the the the the the',
  'one letter again and again, quoted': '"a a a a a a a a a a a a a a',
  'common words': common.join(' '),
  'common words, quoted': `"${common.join(' ')}`,
  'common words, each quoted with the next': common.map((word) => `"${word} the"`).join(' '),
  'beginnings of words': '都 京 東 プ ラ グ イ ン 文 字 一 二 三 ',
  'excluded words': common.map((word) => `-${word}`).join(' '),
  'excluded phrases': common.map((word) => `-"${word} the"`).join(' '),
  filters: common.map((word) => `path:${word}`).join(' '),
  'filters by tag': common.map((word) => `tag:${word}`).join(' '),
}).map(([name, text]) => ({ name, text: `${fill(text, 999)}b` }))

let folder: string
let segment: Segment
let table: FileTable
let changed: ChangedNotes
const changedTexts = [fill('a ', LARGE), fill('the ', LARGE), distinct(LARGE), fill('都京 ', LARGE)]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-hostile-queries-'))
  const part = new SegmentPart({ target: join(folder, 'part'), poolBytes: Number.POSITIVE_INFINITY })
  const text = `the the the a a a ${common.join(' ')} 東京都 プラグイン`
  for (let number = 0; number < NOTES; number++)
    part.addNote({
      ...noteOf(`abc ${String(number).padStart(5, '0')}.md`, text),
      stamp: stamp(1),
      baseline: 'ab'.repeat(12),
      blob: 'cd'.repeat(20),
    })
  writeSegment(join(folder, 'segment'), [part.finish()])
  segment = await openSegment(join(folder, 'segment'))
  table = await readFileTable(segment)
  changed = createChangedNotes(table)
  for (const [index, large] of changedTexts.entries()) changed.put(stamp(2), noteOf(`large ${index}.md`, large))
  for (let number = 0; number < CHANGED; number++) changed.put(stamp(2), noteOf(`changed ${number}.md`, text))
  await changed.whenRead()
  expect(changed.count()).toBe(CHANGED + changedTexts.length)
}, 120_000)
afterAll(async () => {
  await segment.close()
  await removeFolder(folder)
})

/** Runs a search to its end. Returns the longest CPU time between two pauses, and the memory that it took. */
async function search(text: string): Promise<{ longestMs: number; reserved: number; taken: number }> {
  let [since, longestMs, reserved] = [threadCpuMs(), 0, 0]
  const pause = () => {
    const now = threadCpuMs()
    longestMs = Math.max(longestMs, now - since)
    since = now
    return undefined
  }
  const query = parseQuery(text)
  const { recent, holders, hiddenNotes, hidden } = changed.view(query)
  const memory = new WorkMemory()
  const reserve = async (bytes: number) => void (reserved = bytes)
  const view = { segment, budget: { isLate: () => false, pause }, hidden, memory, reserve }
  await findInBoth({ view, table, hiddenNotes, recent, holders }, { query, limit: 200 })
  for (const its of changedTexts) await snippetsOf(its, query.must, { limit: 3, pause })
  pause()
  return { longestMs, reserved, taken: memory.wanted }
}

test.each(queries)('no query holds the event loop: $name', { timeout: 120_000 }, async ({ text }) => {
  verifies('untrusted.linear', 'untrusted.off-loop')
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++) {
    const { longestMs, reserved, taken } = await search(text)
    expect(taken).toBeLessThanOrEqual(reserved)
    longest = Math.min(longest, longestMs / slowness())
  }
  expect(longest).toBeLessThan(STALL_MS)
})

test('a word that is repeated is read once', async () => {
  const { taken: once } = await search('"the a"')
  for (const text of [fill('the a ', 999), `"${fill('the a ', 999)}`]) {
    const { taken, reserved } = await search(text)
    expect(taken).toBeLessThan(1.5 * once)
    expect(reserved).toBeLessThan(10 * NOTES * 16)
  }
})
