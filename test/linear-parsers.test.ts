import { expect, test } from 'vitest'
import { foldText } from '../daemon/src/edits/folded-text.ts'
import { costOfNote } from '../daemon/src/markdown/note-cost.ts'
import { readProperties } from '../daemon/src/markdown/read-properties.ts'
import { findMentions } from '../daemon/src/markdown/find-mentions.ts'
import { linkFactsOf } from '../daemon/src/markdown/link-facts.ts'
import { nearestLines } from '../daemon/src/edits/nearest-lines.ts'
import { readNoteFacts } from '../daemon/src/markdown/note-facts.ts'
import { outlineOf } from '../daemon/src/markdown/outline.ts'
import { applySplices, planEdits } from '../daemon/src/edits/plan-edits.ts'
import { rebaseSplices } from '../daemon/src/edits/rebase-edits.ts'
import { unifiedDiff } from '../daemon/src/edits/unified-diff.ts'
import { readJobs } from '../daemon/src/note-jobs/read-jobs.ts'
import { MAX_ON_LOOP } from '../daemon/src/note-jobs/run-note-job.ts'
import { snippetsOf } from '../daemon/src/search/snippets.ts'
import { parseQuery } from '../daemon/src/search/words/query.ts'
import { parseVaultPath } from '../daemon/src/files/vault-path.ts'
import { plainLine } from '../daemon/ui/plain-line/plain-line.ts'
import { verifies } from './requirements.ts'
import { adversarialShapes } from './support/adversarial-shapes.ts'
import { firstBelow, leastCpuMs, threadCpuMs } from './support/cpu-time.ts'
import { STALL_MS } from './support/fuzz.ts'
import { slowness } from './support/machine-speed.ts'
import { shapesBeyondLinear, type Measured } from './support/linear.ts'

const K = 1024
const half = (text: string) => text.slice(0, text.length >> 1)

const parsers: Record<string, Measured> = {
  'front matter': { length: 8 * K, call: (text) => readProperties(`---\n${text}\n---\n`) },
  'front matter, a value': { length: 8 * K, call: (text) => readProperties(`---\na: ${text}\n---\n`) },
  'front matter, a quoted value': { length: 8 * K, call: (text) => readProperties(`---\na: "${text}\n---\n`) },
  outline: { length: 64 * K, call: outlineOf },
  'outline, one line': { length: 64 * K, call: (text) => outlineOf(`# ${text.replaceAll('\n', ' ')}`) },
  facts: { length: 32 * K, call: (text) => readNoteFacts('n.md', Buffer.from(text), text) },
  links: { length: 32 * K, call: (text) => linkFactsOf({ text }) },
  'links in a property': {
    length: 8 * K,
    call: (text) => linkFactsOf({ text: `---\na: "[[b]] ${text}\n---\n` }),
  },
  mentions: { length: 32 * K, call: (text) => findMentions({ text, names: ['a', 'ab'] }) },
  folding: { length: 32 * K, call: (text) => foldText(text, 'blanks') },
  'anchor in a long note': {
    length: 8 * K,
    call: (text) => planEdits(text, [{ oldText: `${text.slice(0, 64)}x`, newText: '' }]),
  },
  'long anchor': { length: 8 * K, call: (text) => planEdits(text, [{ oldText: `x${half(text)}`, newText: '' }]) },
  'long anchor that repeats': {
    length: 8 * K,
    call: (text) => planEdits(text, [{ oldText: half(text), newText: '' }]),
  },
  'section name': { length: 64 * K, call: (text) => planEdits('# a\n', [{ section: text, op: 'append', text: '' }]) },
  'section of a long note': {
    length: 32 * K,
    call: (text) => planEdits(text, [{ section: 'a > a > #', op: 'replace', text: 'b' }]),
  },
  'nearest lines': { length: 32 * K, call: (text) => nearestLines(text, text) },
  'property of a long block': {
    // The block is read three times, and only one of 1 K is read on the event loop.
    length: 4 * K,
    call: (text) => planEdits(`---\n${text}\n---\n`, [{ property: 'a', value: 1 }]),
  },
  'property value': { length: 4 * K, call: (text) => planEdits('---\na: 1\n---\n', [{ property: 'a', value: text }]) },
  'property name': { length: 4 * K, call: (text) => planEdits('', [{ property: text, value: 1 }]) },
  diff: { length: 8 * K, call: (text) => unifiedDiff(text, `x${half(text)}\ny${text}`) },
  rebase: {
    length: 8 * K,
    call: (text) => {
      const splices = [{ start: 0, end: text.length, text: 'a' }]
      return rebaseSplices(text, `x\n${text}`, splices) && applySplices(text, splices)
    },
  },
  'plain line': { length: 32 * K, call: (text) => plainLine(text.replaceAll('\n', ' '), [[0, 5]]) },
  'plain line, a row': { length: 32 * K, call: (text) => plainLine(`|${text.replaceAll('\n', ' ')}`) },
  query: { length: 2 * K, call: parseQuery },
  'vault path': { length: 64 * K, call: parseVaultPath },
}

test.each(Object.entries(parsers))('%s is linear for every shape', { timeout: 120_000 }, async (_name, measured) => {
  verifies('untrusted.linear')
  expect(adversarialShapes.length).toBeGreaterThanOrEqual(60)
  expect(await shapesBeyondLinear(measured)).toEqual([])
})

const onLoop: Record<string, (text: string) => unknown> = {
  facts: (text) => readJobs.facts({ path: 'n.md', bytes: Buffer.from(text), text }),
  links: (text) => readJobs.links({ text }),
  parts: (text) => readJobs.parts({ path: 'n.md', text }),
  'places of links': (text) => readJobs.linkPlaces({ text }),
  mentions: (text) => readJobs.mentions({ text, names: ['a'] }),
}
const notes: Record<string, (text: string) => string> = {
  text: (text) => text,
  'front matter': (text) => `---\n${text}\n---\n`,
  'a value': (text) => `---\na: ${text}\n---\n`,
  'a quoted value': (text) => `---\na: "${text}\n---\n`,
}

test.each(Object.entries(onLoop))(
  '%s of the longest note that the event loop parses take less than 50 ms',
  { timeout: 120_000 },
  async (_, job) => {
    verifies('untrusted.off-loop')
    const tooSlow: string[] = []
    for (const shape of adversarialShapes)
      for (const [kind, noteOf] of Object.entries(notes)) {
        const note = longest((length) => noteOf(shape.text(length)))
        const since = threadCpuMs()
        job(note)
        if (threadCpuMs() - since < STALL_MS) continue
        const least = await firstBelow(STALL_MS, async () => (await leastCpuMs(() => job(note))) / slowness())
        if (least > STALL_MS) tooSlow.push(`${kind}: ${shape.name}`)
      }
    expect(tooSlow).toEqual([])
  },
)

/** The longest of the notes that the event loop parses itself, give or take a few characters. */
function longest(noteOf: (length: number) => string): string {
  let [least, most] = [0, 64 * K]
  while (most - least > 16) {
    const length = (least + most) >> 1
    if (costOfNote(noteOf(length)) > MAX_ON_LOOP) most = length
    else least = length
  }
  return noteOf(least)
}

test('lines that hold a long phrase are found in linear time, and in slices', { timeout: 60_000 }, async () => {
  verifies('untrusted.linear', 'untrusted.off-loop')
  const { must } = parseQuery(`"${'a '.repeat(200)}b"`)
  const search = (count: number, pause: () => undefined = () => undefined) =>
    snippetsOf('a '.repeat(count), must, { limit: 5, pause })
  const ratio = async () => {
    const short = await leastCpuMs(() => search(16 * K))
    return (await leastCpuMs(() => search(128 * K))) / short
  }
  expect(await firstBelow(24, ratio)).toBeLessThan(24)

  const longestSlice = async () => {
    let since = threadCpuMs()
    let longest = 0
    await search(32 * K, () => {
      longest = Math.max(longest, threadCpuMs() - since)
      since = threadCpuMs()
      return undefined
    })
    return longest / slowness()
  }
  expect(await firstBelow(STALL_MS, longestSlice)).toBeLessThan(STALL_MS)
})

test('a parser that is not linear is found', { timeout: 120_000 }, async () => {
  const quadratic = (text: string) => text.replace(/[ \t]+$/, '')
  const found = (shape: string) =>
    shapesBeyondLinear(
      { length: 8 * K, call: quadratic },
      adversarialShapes.filter(({ name }) => name === shape),
    )
  expect(await found('" " repeated')).toHaveLength(0)
  expect(await found('"# a", " " repeated, "b"')).toHaveLength(1)
})
