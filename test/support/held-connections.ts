import { AsyncLocalStorage } from 'node:async_hooks'
import { TransactionBuilder } from 'kysely'
import pg from 'pg'

// A transaction that asks the pool for another connection, while it holds one, can stop a whole process: when as many
// of them run as there are connections, each waits for the others.

type Transaction = { isOpen: boolean; begun: string }

/** These hold a connection for a lock while others work, and limit how many of them do. */
const LIMITED = ['db/organization-turns.ts', 'operations/unless-busy.repository.ts']

const transactions = new AsyncLocalStorage<Transaction>()
const found = new Set<string>()

const ourFiles = (stack = ''): string =>
  stack
    .split('\n')
    .filter((line) => line.includes('/control-plane/src/'))
    .map((line) => line.replace(/^.*\/control-plane\/src\//, ''))
    .join('\n  ')

const { execute } = TransactionBuilder.prototype
TransactionBuilder.prototype.execute = async function (this: typeof TransactionBuilder.prototype, work) {
  const transaction = { isOpen: true, begun: ourFiles(new Error('begun').stack) }
  try {
    return await execute.call(this, (trx) => transactions.run(transaction, () => work(trx)))
  } finally {
    transaction.isOpen = false
  }
} as typeof execute

const { connect } = pg.Pool.prototype
pg.Pool.prototype.connect = function (this: pg.Pool, ...told: Parameters<typeof connect>) {
  const transaction = transactions.getStore()
  // A test may hold a transaction of its own while it sends requests.
  const isOfProduct = transaction !== undefined && transaction.begun !== ''
  if (isOfProduct && transaction.isOpen && !LIMITED.some((file) => transaction.begun.startsWith(file)))
    found.add(`${ourFiles(new Error('asked').stack)}\nin the transaction of\n  ${transaction.begun}`)
  return connect.apply(this, told)
} as typeof connect

/** Fails if a transaction asked for another connection since the last call. */
export function refuseSecondConnections(): void {
  const all = [...found]
  found.clear()
  if (all.length > 0) throw new Error(`a transaction asks for a second connection:\n  ${all.join('\n')}`)
}
