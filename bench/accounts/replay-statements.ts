import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Batch, Statement } from './record-statements.ts'

/**
 * Sends recorded statements again: the statements of a batch at the same time, and each transaction on one connection.
 */
export async function replay(pool: pg.Pool, batches: Batch[]): Promise<void> {
  const fresh = freshValues(batches)
  const held = new Map<number, pg.PoolClient>()
  const send = async ({ text, values, connection }: Statement) => {
    const given = values.map((value) => fresh.get(value) ?? value)
    if (/^begin/i.test(text)) held.set(connection, await pool.connect())
    const client = held.get(connection)
    await (client ?? pool).query(text, given)
    if (client !== undefined && /^(commit|rollback)/i.test(text)) {
      held.delete(connection)
      client.release()
    }
  }
  for (const batch of batches) await Promise.all(batch.map(send))
}

/** New ids and tokens for the sessions that the statements insert, because the recorded ones already exist. */
function freshValues(batches: Batch[]): Map<unknown, string> {
  const fresh = new Map<unknown, string>()
  for (const { text, values } of batches.flat()) {
    const [, columns = ''] = /^insert into "session" \(([^)]*)\)/.exec(text) ?? []
    const names = columns.split(', ').map((name) => name.replaceAll('"', ''))
    for (const [index, name] of names.entries()) {
      if (name === 'id') fresh.set(values[index], newId('ses_'))
      if (name === 'token') fresh.set(values[index], randomBytes(24).toString('base64url'))
    }
  }
  return fresh
}
