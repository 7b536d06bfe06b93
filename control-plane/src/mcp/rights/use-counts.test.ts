import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { createUseCounts, type Uses } from './use-counts.ts'

const log = createLog({ service: 'test', level: 'fatal' })
const use = { grantId: 'agt_a', orgId: 'org_a', integration: 'local' }

/** Counts with a clock whose seconds pass when the test says so. */
function world() {
  const written: (Uses & { of: string })[] = []
  let pass = () => {}
  let isAway = false
  const write = async (of: string, uses: Uses) => {
    if (isAway) throw new Error('the database is away')
    written.push({ of, ...uses })
  }
  const counts = createUseCounts({
    recordGrantUses: write,
    recordIntegrationUses: ({ orgId, key }, uses) => write(`${orgId} ${key}`, uses),
    clock: {
      sleep: (_ms, signal) =>
        new Promise((resolve, reject) => {
          pass = resolve
          signal?.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    },
    log,
  })
  const second = async () => {
    pass()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { counts, written, second, goAway: (away: boolean) => void (isAway = away) }
}

test('the calls of a second are added together, and those of the last one at the end', async () => {
  const { counts, written, second } = world()
  for (const kind of ['reads', 'writes', 'reads'] as const) counts.count({ ...use, kind })
  expect(written).toEqual([])
  await second()
  expect(written.splice(0)).toEqual([
    { of: 'agt_a', reads: 2, writes: 1 },
    { of: 'org_a local', reads: 2, writes: 1 },
  ])
  await second()
  expect(written).toEqual([])
  counts.count({ ...use, kind: 'writes' })
  await counts.close()
  expect(written).toEqual([
    { of: 'agt_a', reads: 0, writes: 1 },
    { of: 'org_a local', reads: 0, writes: 1 },
  ])
})

test('what could not be written is counted later', async () => {
  const { counts, written, second, goAway } = world()
  goAway(true)
  counts.count({ ...use, kind: 'reads' })
  await second()
  goAway(false)
  counts.count({ ...use, kind: 'reads' })
  await second()
  await counts.close()
  expect(written).toContainEqual({ of: 'agt_a', reads: 2, writes: 0 })
  expect(written).toContainEqual({ of: 'org_a local', reads: expect.any(Number) as number, writes: 0 })
})
