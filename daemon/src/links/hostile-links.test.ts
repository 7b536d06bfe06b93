import { systemClock } from '@svc/shared/kit/clock.ts'
import { expect, test } from 'vitest'
import { cpuMsOf, leastCpuMs } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { leastLongestTurnMs } from '../../../test/support/longest-turn.ts'
import { verifies } from '../../../test/requirements.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { createSearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultLinks } from './follow-links.ts'
import { FileNames } from './file-names.ts'
import { createLinkQuestions } from './link-questions.ts'
import { NoteRecordTable } from './note-record-table.ts'
import { packRecord } from './note-record.ts'
import { buildReferrers } from './referrers.ts'

// Past this deadline the daemon answers as well as it can.
const DEADLINE_MS = 20_000

type Notes = Readonly<Record<string, { text?: string; tags?: readonly string[] }>>

/** The questions on the links of a vault with these notes, without a disk. */
function questionsOn(notes: Notes, deadlineMs = DEADLINE_MS) {
  const names = new FileNames()
  const records = new NoteRecordTable()
  for (const [path, { text = '', tags = [] }] of Object.entries(notes)) {
    names.add(path)
    records.put(path, packRecord({ ...linkFactsOf({ text }), tags, properties: [] }))
  }
  const referrers = buildReferrers({ records, apart: new Set(), pause: () => undefined })
  const links = {
    names,
    records,
    changes: () => 1,
    referrers: () => referrers,
  }
  const facts = { kind: 'note', title: 'a' }
  const files = Object.keys(notes).map((path) => ({ path, facts }))
  const vault = {
    manifest: { onDisk: (path: string) => path, file: () => files[0], files: () => files },
    layout: { root: '/nowhere' },
    isIndexed: () => true,
  } as unknown as Vault
  const { linksOfFile, reportLinks, graphLinks, countTags } = createLinkQuestions({
    linksOf: () => ({ use: async () => ({ links, isComplete: true }) }) as unknown as VaultLinks,
    indexOf: () => expect.fail('no search is expected'),
    runNoteJob: () => expect.fail('no job is expected'),
    clock: systemClock,
    deadlineMs,
    maxNoteBytes: 1,
  })
  return {
    linksOf: (path: string) => linksOfFile(vault, { path, limit: 50, offset: 0, mentions: 'left_out' }),
    report: (page: { limit: number; offset: number }) => reportLinks(vault, page),
    graph: (wish: { limit: number; path?: string; offset?: number; depth?: number }) =>
      graphLinks(vault, { depth: 1, offset: 0, ...wish }),
    tags: (page: { limit: number; offset: number }) => countTags(vault, page),
  }
}

const range = (count: number) => Array.from({ length: count }, (_, number) => number)
const sameName = (count: number, text = ''): Notes =>
  Object.fromEntries(range(count).map((number) => [`folder ${number}/readme.md`, { text }]))

test('links to a note with thousands of headings hold no turn', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const { linksOf, report } = questionsOn({
    'big.md': { text: '# a\n'.repeat(9999) + '# b\n' },
    'from.md': { text: '[[big#z]]\n'.repeat(9000) + '[[big#b#a]]\n'.repeat(1000) },
  })
  expect(await leastLongestTurnMs(() => linksOf('from.md'))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(() => report({ limit: 500, offset: 0 }))).toBeLessThan(STALL_MS)
  const { outgoing, partial } = await linksOf('from.md')
  expect(partial).toBe(false)
  expect(outgoing.filter(({ problem }) => problem === 'no_heading')).toHaveLength(10_000)
})

test('links to one of thousands of files of one name hold no turn', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const text = range(3000).map((number) => `[[${'/'.repeat(number % 500)}readme]]\n`)
  const { linksOf, graph } = questionsOn({ ...sameName(5000), 'from.md': { text: text.join('') } })
  expect(await leastLongestTurnMs(() => linksOf('from.md'))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(() => linksOf('folder 0/readme.md'))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(() => graph({ limit: 500, path: 'from.md' }))).toBeLessThan(STALL_MS)
  const { outgoing, partial } = await linksOf('from.md')
  expect(partial).toBe(false)
  expect(outgoing.filter(({ path }) => path === 'folder 0/readme.md')).toHaveLength(3000)
})

test('a page of the broken links of one note reads the note once', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const { report } = questionsOn({
    'from.md': {
      text: range(10_000)
        .map((number) => `[a](x${number})\n`)
        .join(''),
    },
  })
  const whole = await report({ limit: 500, offset: 0 })
  expect([whole.counts.broken, whole.partial, whole.nextCursor]).toEqual([10_000, false, '500'])
  expect(await leastLongestTurnMs(() => report({ limit: 500, offset: 9500 }))).toBeLessThan(STALL_MS)
  const last = await report({ limit: 500, offset: 9500 })
  expect(last.broken.map(({ target }) => target)).toEqual(range(500).map((number) => `x${9500 + number}`))
})

test('a graph of notes that all link to each other comes in pages', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop', 'links.graph')
  const names = range(200).map((number) => `n${number}.md`)
  const text = names.map((name) => `[[${name}]]`).join(' ')
  const { graph } = questionsOn(Object.fromEntries(names.map((name) => [name, { text }])))
  const edges = new Set<string>()
  const froms: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: Awaited<ReturnType<typeof graph>> = await graph({ limit: 1000, offset })
    expect(page.edges.length).toBeLessThanOrEqual(20_000)
    expect(page.partial).toBe(false)
    for (const { from, to } of page.edges) edges.add(`${from} ${to}`)
    froms.push(...new Set(page.edges.map(({ from }) => from)))
    offset = page.nextCursor === undefined ? undefined : Number(page.nextCursor)
  }
  expect([edges.size, froms.toSorted()]).toEqual([200 * 199, names.toSorted()])
})

test('a graph around a note with more links than fit is partial', async () => {
  const to = (name: string, count: number) => range(count).map((number) => `[[${name}${number}]]`)
  const hubs = range(100).map((number): [string, { text: string }] => [
    `hub${number}.md`,
    { text: to('x', 250).join() },
  ])
  const ends = range(250).map((number): [string, { text: string }] => [`x${number}.md`, { text: '' }])
  const { graph } = questionsOn(Object.fromEntries([['a.md', { text: to('hub', 100).join() }], ...hubs, ...ends]))
  const { edges, nodes, partial } = await graph({ limit: 1000, path: 'a.md', depth: 2 })
  expect([edges.length, nodes.length, partial]).toEqual([20_000, 351, true])
})

test('hundreds of thousands of tags are sorted in slices, and once for all pages', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop', 'links.tags')
  const notes = range(300).map((note): [string, { tags: string[] }] => [
    `${note}.md`,
    { tags: ['all', ...range(999).map((number) => `tag ${(number * 7919) % 999} of ${note}`)] },
  ])
  const vault = Object.fromEntries(notes)
  const afresh = [questionsOn(vault), questionsOn(vault), questionsOn(vault)]
  expect(await leastLongestTurnMs(() => afresh.pop()!.tags({ limit: 1000, offset: 0 }))).toBeLessThan(STALL_MS)

  const { tags } = questionsOn(vault)
  const firstMs = await cpuMsOf(() => tags({ limit: 5000, offset: 0 }))
  expect(await leastCpuMs(() => tags({ limit: 5000, offset: 5000 }))).toBeLessThan(firstMs / 5)
  const first = await tags({ limit: 2, offset: 0 })
  expect(first).toEqual({
    tags: [
      { tag: 'all', count: 300 },
      { tag: 'tag 0 of 0', count: 1 },
    ],
    properties: [],
    partial: false,
    nextCursor: '2',
  })
})

test('long names in links are compared in slices', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const name = 'e\u0301'.repeat(490)
  const records = new NoteRecordTable()
  const { places } = linkFactsOf({ text: '' })
  const links = range(10_000).map((number) => ({
    kind: 'wiki' as const,
    embed: false,
    inProperty: false,
    line: 1,
    target: `${name}${number}`,
  }))
  records.put('from.md', packRecord({ links, places, tags: [], properties: [] }))
  const { pause } = createSearchBudget({ clock: systemClock, deadlineMs: DEADLINE_MS })
  expect(await leastLongestTurnMs(() => buildReferrers({ records, apart: new Set(), pause }))).toBeLessThan(STALL_MS)
})

test('past the deadline the links of a note and the report are partial', async () => {
  const { linksOf, report } = questionsOn({ 'from.md': { text: '[[a]]\n'.repeat(100) } }, -1)
  const links = await linksOf('from.md')
  expect([links.outgoing.length, links.partial]).toEqual([1, true])
  const { broken, partial } = await report({ limit: 500, offset: 0 })
  expect([broken.length < 2, partial]).toEqual([true, true])
})
