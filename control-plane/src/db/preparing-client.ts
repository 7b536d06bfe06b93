import type { Socket } from 'node:net'
import pg from 'pg'
import { throwOfDatabase } from './database-errors.ts'
import type { FrequentStatements } from './frequent-statements.ts'

type Options = {
  frequent: FrequentStatements
  /** How long a connection may be silent while a statement runs; without it, for any time. */
  silentMs: number | undefined
}

/**
 * The client class of a pool whose frequent statements are prepared, and whose errors are known as the database's. When
 * the host of the database vanishes, nothing ends its connections: one that stays silent for too long is ended here.
 */
export function preparingClient({ frequent, silentMs }: Options): new (config?: pg.ClientConfig) => pg.ClientBase {
  return class PreparingClient extends pg.Client {
    #running = 0

    constructor(config?: pg.ClientConfig) {
      super(config)
      if (silentMs === undefined) return
      // Only now the stream is that of TLS. Its timeout starts anew whenever bytes are sent or received.
      this.once('connect', () => {
        const stream = this.connection.stream as Socket
        stream.setTimeout(silentMs, () => {
          if (this.#running > 0) stream.destroy(new Error('Connection terminated: the database does not respond'))
        })
      })
    }

    // One signature for the overloads of `pg`; only statements that come as a text with values are frequent.
    override query(...given: unknown[]): never {
      const [text, values, ...rest] = given
      const name = typeof text === 'string' && Array.isArray(values) ? frequent.nameOf(text) : undefined
      const sent = name === undefined ? given : [{ name, text, values }, ...rest]
      const answer: unknown = super.query(...(sent as [string]))
      return (answer instanceof Promise ? this.#watch(answer) : answer) as never
    }

    async #watch(answer: Promise<unknown>): Promise<unknown> {
      this.#running += 1
      try {
        return await answer
      } catch (error) {
        throwOfDatabase(error as Error)
      } finally {
        this.#running -= 1
      }
    }
  }
}
