// Audited operations on the embedded Postgres: their number per second, and the time from the request to the recorded
// success. For comparison, the bare statements that any implementation would need.
import { createLog } from '@svc/shared/kit/log.ts'
import { createJobs } from '../control-plane/src/jobs/jobs.ts'
import { migratePostgresQueue, createPostgresQueue } from '../control-plane/src/jobs/queue-backend.ts'
import { createBackgroundExecutions } from '../control-plane/src/operations/background-executions.ts'
import { EXECUTE_OPERATION } from '../control-plane/src/operations/operation-engine.ts'
import type { OperationInput } from '../control-plane/src/operations/operation.ts'
import { hostedOperations } from '../test/support/hosted-operations.ts'
import { hostedWorld, IMAGES, runningOrganization } from '../test/support/hosted-world.ts'
import { startBenchDatabase } from './bench-database.ts'
import { alternate, printTable, quantile, spread } from './rounds.ts'

const FLEET = 16
const ROUNDS = 5
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const log = createLog({ service: 'bench', level: 'silent' })

const database = await startBenchDatabase()
const { url } = database
await migratePostgresQueue(url)

const world = await hostedWorld({ url })
const jobs = createJobs({ backend: createPostgresQueue(url), log })
const wake = (operationId: string) => jobs.wake(EXECUTE_OPERATION, operationId)
const operations = hostedOperations({ ...world, executor: 'bench:1', wake })
const executions = createBackgroundExecutions({ execute: operations.execute, onEnded: async () => {}, log })
await jobs.start({ [EXECUTE_OPERATION]: executions.start })
const fleet = await Promise.all(Array.from({ length: FLEET }, () => runningOrganization(world)))

let counter = 0
const run = async (orgId: string, action: 'image_roll' | 'storage_check'): Promise<number> => {
  const digit = (counter++).toString(16).padStart(64, '0')
  const input: OperationInput = action === 'image_roll' ? { image: `${IMAGES}@sha256:${digit}` } : {}
  const began = performance.now()
  await operations.run({ operationId: `bench-${counter}-${action}`, action, orgId, actor, reason: 'bench', input })
  return performance.now() - began
}
/** Operations per second with the whole fleet at once. */
const throughput = async (action: 'image_roll' | 'storage_check'): Promise<number> => {
  const began = performance.now()
  await Promise.all(fleet.map(({ orgId }) => run(orgId, action)))
  return (FLEET / (performance.now() - began)) * 1_000
}
/** Six bare statements in a row for each organization: the cost of the records alone. */
const bare = async (): Promise<number> => {
  const began = performance.now()
  await Promise.all(
    fleet.map(async ({ orgId }) => {
      for (let statement = 0; statement < 6; statement++) await world.events.insert(orgId, 'wake_requested')
    }),
  )
  return (FLEET / (performance.now() - began)) * 1_000
}

const rates = await alternate(
  {
    'six bare inserts': bare,
    'storage check': () => throughput('storage_check'),
    'image roll': () => throughput('image_roll'),
  },
  ROUNDS,
)
const base = spread(rates['six bare inserts']).median
printTable(
  ['operation', 'per second, median', 'lowest', 'highest', 'against bare inserts'],
  Object.entries(rates).map(([name, values]) => {
    const { median, min, max } = spread(values)
    return [name, median.toFixed(0), min.toFixed(0), max.toFixed(0), (median / base).toFixed(2)]
  }),
)

console.log('\nFrom request to recorded success, one at a time:\n')
const rows: (string | number)[][] = []
for (const action of ['storage_check', 'image_roll'] as const) {
  const times: number[] = []
  for (let round = 0; round < 30; round++) times.push(await run(fleet[round % FLEET]!.orgId, action))
  const sorted = times.slice(5).toSorted((a, b) => a - b)
  rows.push([action, ...[0.5, 0.9, 0.99].map((share) => `${quantile(sorted, share).toFixed(1)} ms`)])
}
printTable(['operation', 'p50', 'p90', 'p99'], rows)

operations.close()
await jobs.close()
await world.close()
await database.stop()
