import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { holdExecutorLock } from '../../control-plane/src/operations/executor-lock.ts'
import { createRollouts } from '../../control-plane/src/rollouts/rollouts.domain.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { hostedOperations } from './hosted-operations.ts'

/** A control plane that only advances rollouts and executes their rolls, until it is killed. */
type Order = { url: string; executor: string }
const order = JSON.parse(process.argv[2] ?? '') as Order

const url = new Secret(order.url)
const log = createLog({ service: 'rollout', level: 'fatal' })
const { db, pool } = openDatabase({ url, log, max: 20 })
await holdExecutorLock({ databaseUrl: url, executor: order.executor, clock: systemClock, log, random: Math.random })
const store = await createManagedDaemonTable({ pool, clock: systemClock, log })
const operations = hostedOperations({ db, store, log, executor: order.executor, timeoutMs: 120_000 })
const wake = async () => {}
const rollouts = createRollouts({
  db,
  clock: systemClock,
  log,
  store,
  run: operations.run,
  findOperation: operations.find,
  wake,
  resolveImage: async (image) => image,
})

process.once('disconnect', () => process.exit(1)) // the test is gone

const never = new AbortController().signal
const advance = async () => {
  for (const id of await rollouts.sweep.listUnfinished()) await rollouts.handlers['advance-rollout'](id, never)
}
/** As in the product, a turn that fails, for example because the database is slow, is followed by the next. */
const forever = async (task: () => Promise<unknown>, everyMs: number) => {
  for (;;) {
    await task().catch((err: unknown) => log.warn({ err }, 'a turn failed'))
    await systemClock.sleep(everyMs)
  }
}
void forever(operations.sweep, 1_000)
await forever(advance, 50)
