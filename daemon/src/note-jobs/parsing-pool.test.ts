import { afterAll, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { cpuMsOf, firstBelow } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { editJobs } from './edit-jobs.ts'
import { createParsingPool, ParsingStopped } from './parsing-pool.ts'
import { readJobs } from './read-jobs.ts'
import { createRunNoteJob } from './run-note-job.ts'

const pool = createParsingPool({ deadlineMs: 60_000, idleMs: 1000, maxHeapMb: 512 })
const run = createRunNoteJob(pool)
afterAll(() => pool.close())

const current = { text: '# A\n\none\n', baseline: 'b' }
const question = { current, baseline: 'b', onStale: 'reject' as const }
const edits = [{ oldText: 'one', newText: '1' }]

test('a large note is parsed off the event loop with the same result', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const text = `---\na: 1\n---\n${'# head\n\n'.repeat(400_000)}`
  await run({ job: 'parts', input: { path: 'n.md', text: '' }, cost: Number.POSITIVE_INFINITY })
  const parse = () => run({ job: 'parts', input: { path: 'n.md', text }, cost: text.length })
  expect(await firstBelow(STALL_MS, async () => (await cpuMsOf(parse)) / slowness())).toBeLessThan(STALL_MS)
  expect(await parse()).toEqual(readJobs.parts({ path: 'n.md', text }))
})

test('typed failures cross the thread', async () => {
  const far = { input: { ...question, edits }, cost: Number.POSITIVE_INFINITY }
  expect(await run({ job: 'edit', ...far })).toEqual(editJobs.edit(far.input))
  const missing = { ...question, edits: [{ oldText: 'two', newText: '2' }] }
  await expect(run({ job: 'edit', input: missing, cost: far.cost })).rejects.toMatchObject({
    code: 'match_count',
    details: { count: 0, expected: 1 },
  })
})

test('a job that misses its deadline is ended, and the next one runs in a new worker', async () => {
  verifies('untrusted.off-loop')
  const hurried = createParsingPool({ deadlineMs: 0, idleMs: 1000, maxHeapMb: 512 })
  const parts = { job: 'parts', input: { path: 'n.md', text: '# A\n'.repeat(400_000) } }
  await expect(hurried.run(parts)).rejects.toThrow(ParsingStopped)
  await expect(hurried.run(parts)).rejects.toThrow('the deadline has passed')
  await hurried.close()
})

test('the deadline of a job does not count the loading of the worker, which has a limit of its own', async () => {
  const stuck = createParsingPool({ deadlineMs: 0, loadMs: 0, idleMs: 1000, maxHeapMb: 512 })
  const parts = { job: 'parts', input: { path: 'n.md', text: '# A\n' } }
  await expect(stuck.run(parts)).rejects.toThrow('the worker has not loaded in time')
  await stuck.close()
})
