import pg from 'pg'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { holdExecutorLock } from '../../control-plane/src/operations/executor-lock.ts'
import type { OperationRequest } from '../../control-plane/src/operations/operation.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { hostedOperations } from './hosted-operations.ts'

/**
 * A process that runs one operation and kills itself with SIGKILL right before its n-th statement, on any connection.
 * Prints the response if it survives. The crash matrix runs one such process for each boundary.
 */
type Order = { url: string; executor: string; request: OperationRequest; dieBefore: number }
const order = JSON.parse(process.argv[2] ?? '') as Order

const url = new Secret(order.url)
const log = createLog({ service: 'dying', level: 'fatal' })
const { db, pool } = openDatabase({ url, log, max: 4 })
await holdExecutorLock({ databaseUrl: url, executor: order.executor, clock: systemClock, log, random: Math.random })
const store = await createManagedDaemonTable({ pool, clock: systemClock, log })
const operations = hostedOperations({ db, store, log, executor: order.executor })

let statements = 0
const send = pg.Client.prototype.query as (...args: unknown[]) => unknown
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  statements++
  if (statements === order.dieBefore) process.kill(process.pid, 'SIGKILL')
  return send.apply(this, args)
} as typeof pg.Client.prototype.query

const answer = await operations.run(order.request)
process.stdout.write(JSON.stringify({ answer, statements }))
process.exit(0)
