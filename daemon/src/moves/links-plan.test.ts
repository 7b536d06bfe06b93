import { systemClock } from '@svc/shared/kit/clock.ts'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { leastLongestTurnMs } from '../../../test/support/longest-turn.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { FileNames } from '../links/file-names.ts'
import type { OpenLinks } from '../links/link-index.ts'
import { NoteRecordTable } from '../links/note-record-table.ts'
import { packRecord } from '../links/note-record.ts'
import { buildReferrers } from '../links/referrers.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { createParsingPool, type ParsingPool } from '../note-jobs/parsing-pool.ts'
import { createRunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { createPlanLinks, type PlannedRewrite } from './links-plan.ts'

const pools: ParsingPool[] = []
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-links-plan-'))
})
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
  await removeFolder(root)
})

/** Plans how the links of some notes follow a move. */
async function plannerOf(notes: Record<string, string>, deadlineMs = 60_000) {
  const names = new FileNames()
  const records = new NoteRecordTable()
  for (const [path, text] of Object.entries(notes)) {
    names.add(path)
    records.put(path, packRecord({ ...linkFactsOf({ text }), tags: [], properties: [] }))
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const referrers = await buildReferrers({ records, apart: new Set(), pause: () => undefined })
  const links = { names, records, changes: () => 1, referrers: async () => referrers } as unknown as OpenLinks
  const pool = createParsingPool({ deadlineMs, idleMs: 60_000, maxHeapMb: 512 })
  pools.push(pool)
  const planLinks = createPlanLinks({
    linksOf: () => ({ use: async () => ({ links, isComplete: true }) }),
    runNoteJob: createRunNoteJob(pool),
    clock: systemClock,
    maxNoteBytes: 10_000_000,
  })
  const vault = { layout: { root }, files: { isLocal: true } } as Vault
  return async (from: string, to: string, tooManyLinks: 'refused' | 'left'): Promise<PlannedRewrite[]> => {
    const rewrites: PlannedRewrite[] = []
    const take = async (rewrite: PlannedRewrite) => void rewrites.push(rewrite)
    await planLinks({ vault, moved: new Map([[from, to]]), tooManyLinks }, take)
    return rewrites
  }
}

const cannotRewrite = { code: 'invalid_request', details: [{ path: 'rewriteLinks' }] }

test(
  'a note with more links than can be rewritten is refused or left, in short turns',
  { timeout: 120_000 },
  async () => {
    verifies('untrusted.off-loop')
    const plan = await plannerOf({ 'a.md': '', 'many.md': '[[a]]'.repeat(400_000) })
    expect(await leastLongestTurnMs(() => plan('a.md', 'b.md', 'left'))).toBeLessThan(STALL_MS)
    expect(await plan('a.md', 'b.md', 'left')).toEqual([])
    await expect(plan('a.md', 'b.md', 'refused')).rejects.toMatchObject(cannotRewrite)
  },
)

test('a note with as many links as can be rewritten is rewritten in short turns', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop', 'links.move')
  const plan = await plannerOf({ 'a.md': '', 'many.md': '[[a]]\n'.repeat(20_000) })
  expect(await leastLongestTurnMs(() => plan('a.md', 'b.md', 'refused'))).toBeLessThan(STALL_MS)
  const [rewrite] = await plan('a.md', 'b.md', 'refused')
  expect([rewrite!.content.toString(), rewrite!.changes.length]).toEqual(['[[b]]\n'.repeat(20_000), 20_000])
})

test('a note that takes too long to parse is refused or left', async () => {
  const text = '[[a]]\n'.repeat(10_000) + '*text*\n'.repeat(400_000)
  const plan = await plannerOf({ 'a.md': '', 'slow.md': text }, 1)
  expect(await plan('a.md', 'b.md', 'left')).toEqual([])
  await expect(plan('a.md', 'b.md', 'refused')).rejects.toMatchObject(cannotRewrite)
})

test('links to one of thousands of files of one name follow a move in short turns', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const files = Array.from({ length: 3000 }, (_, number) => [`folder ${number}/readme.md`, ''] as const)
  const text = Array.from({ length: 1000 }, (_, number) => `[[${'/'.repeat(number % 500)}readme]]\n`).join('')
  const plan = await plannerOf({ ...Object.fromEntries(files), 'from.md': text })
  const move = () => plan('folder 2/readme.md', 'folder 2/other.md', 'refused')
  expect(await leastLongestTurnMs(move)).toBeLessThan(STALL_MS)
  expect(await move()).toEqual([])
})
