import pg from 'pg'
import { throwOfDatabase } from './database-errors.ts'
import type { FrequentStatements } from './frequent-statements.ts'

/** The client class of a pool whose frequent statements are prepared, and whose errors are known as the database's. */
export function preparingClient(frequent: FrequentStatements): new (config?: pg.ClientConfig) => pg.ClientBase {
  return class PreparingClient extends pg.Client {
    // One signature for the overloads of `pg`; only statements that come as a text with values are frequent.
    override query(...given: unknown[]): never {
      const [text, values, ...rest] = given
      const name = typeof text === 'string' && Array.isArray(values) ? frequent.nameOf(text) : undefined
      const sent = name === undefined ? given : [{ name, text, values }, ...rest]
      const answer: unknown = super.query(...(sent as [string]))
      return (answer instanceof Promise ? answer.catch(throwOfDatabase) : answer) as never
    }
  }
}
