import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../../../test/requirements.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { Manifest } from '../watch/manifest.ts'
import { createGraphLinks } from './link-graph.ts'
import { createLinkIndex } from './link-index.ts'
import { createReportLinks } from './link-report.ts'
import { packRecord } from './note-record.ts'
import { createCountTags } from './tag-counts.ts'

const NOTES = 2000
const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const noJob = (() => expect.fail('no note is parsed')) as RunNoteJob

/**
 * A vault whose links no request can read within its deadline: its clock goes on whenever it is looked at, and no
 * request waits. Each note links to the next one and to one that is missing.
 */
function largeVault() {
  let now = 0
  const closing = new AbortController()
  const clock = { ...systemClock, monotonic: () => (now += 0.05), sleep: async () => {} }
  const manifest = new Manifest()
  const links = createLinkIndex({
    root: '/none',
    file: '/none/links',
    manifest,
    reader: { read: () => expect.fail('nothing is read') },
    runNoteJob: noJob,
    describeFile: () => expect.fail('nothing is read'),
    maxNoteBytes: 1000,
    clock,
    log: pino({ level: 'silent' }),
    signal: closing.signal,
  })
  for (let number = 0; number < NOTES; number++) {
    const [path, text] = [`${number}.md`, `[[${number + 1}]] [[missing ${number}]] #tag${number % 2}`]
    const { tags, properties, ...facts } = readNoteFacts(path, Buffer.from(text), text)
    links.names.add(path)
    links.records.put(path, packRecord({ ...linkFactsOf({ text }), tags, properties: Object.keys(properties) }))
    manifest.putFile({ path, stamp, facts })
  }
  const vault = { listed: Promise.resolve(), isIndexed: () => true, manifest } as unknown as Vault
  const deps = { linksOf: () => ({ use: async () => ({ links, isComplete: true }) }), clock, deadlineMs: 20 }
  return { vault, links, manifest, deps, closing }
}

/** Asks until the answer is whole; returns it and how often it was partial. */
async function whole<Answer extends { partial: boolean }>(ask: () => Promise<Answer>) {
  for (let times = 0; times < 10_000; times++) {
    const answer = await ask()
    if (!answer.partial) return { answer, times }
    await setImmediate()
  }
  return expect.fail('the answer is partial for ever')
}

test('a report that takes longer than a request is whole for a later one, also after a change', async () => {
  verifies('links.report', 'links.long-scans')
  const { vault, links, manifest, deps } = largeVault()
  const reportLinks = createReportLinks(deps)
  const report = () => whole(() => reportLinks(vault, { limit: 10, offset: 0 }))
  const first = await report()
  // The last note links to none that is there.
  expect(first.answer.counts).toEqual({ broken: NOTES + 1, orphans: 1 })
  expect(first.answer.orphans).toEqual([{ path: '0.md', kind: 'note' }])
  expect(first.times).toBeGreaterThan(0)
  expect((await report()).times).toBe(0)

  links.remove('5.md')
  manifest.removeFile('5.md')
  const changed = await report()
  expect(changed.answer.counts).toEqual({ broken: NOTES + 1, orphans: 2 })
  expect(changed.times).toBeGreaterThan(0)
})

test.each(['changed', 'closed'] as const)('work that no request waits for ends when the vault is %s', async (what) => {
  verifies('links.long-scans')
  const { vault, links, deps, closing } = largeVault()
  let looks = 0
  const { path } = links.records
  links.records.path = (number) => {
    looks++
    return path.call(links.records, number)
  }
  expect((await createReportLinks(deps)(vault, { limit: 10, offset: 0 })).partial).toBe(true)
  if (what === 'changed') links.remove('5.md')
  else closing.abort()
  const before = looks
  for (let turns = 0; turns < 1000; turns++) await setImmediate()
  expect(looks - before).toBeLessThan(NOTES / 2)
})

test('tags that take longer than a request to count are counted for a later one', async () => {
  verifies('links.tags', 'links.long-scans')
  const { vault, deps } = largeVault()
  const countTags = createCountTags(deps)
  const { answer, times } = await whole(() => countTags(vault, { limit: 10, offset: 0 }))
  expect(answer.tags).toEqual([
    { tag: 'tag0', count: NOTES / 2 },
    { tag: 'tag1', count: NOTES / 2 },
  ])
  expect(times).toBeGreaterThan(0)
})

test('a page of the graph that ends at the deadline is continued by the next one', async () => {
  verifies('links.graph', 'links.long-scans')
  const { vault, deps } = largeVault()
  const graphLinks = createGraphLinks(deps)
  const edges = new Set<string>()
  let pages = 0
  for (let offset = 0; ; pages++) {
    const page = await graphLinks(vault, { depth: 1, limit: 1000, offset })
    for (const { from, to } of page.edges) edges.add(`${from} ${to}`)
    expect(page.partial).toBe(false)
    if (page.nextCursor === undefined) break
    expect(Number(page.nextCursor)).toBeGreaterThan(offset)
    offset = Number(page.nextCursor)
  }
  expect(edges.size).toBe(NOTES - 1)
  expect(pages).toBeGreaterThan(NOTES / 1000)
})
