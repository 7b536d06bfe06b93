import pg from 'pg'

// A refused connection looks alike whether it was to the database or to another server.
const known = new WeakSet<Error>()

/** Remembers an error as one of the database, and throws it. */
export function throwOfDatabase(error: Error): never {
  known.add(error)
  throw error
}

/** True for an error that came from the database or the connection to it. */
export const isOfDatabase = (error: unknown): boolean => error instanceof Error && known.has(error)

type Told = Parameters<pg.Pool['connect']>[0]

/** A pool whose errors are known as those of the database. */
export class KnownPool extends pg.Pool {
  // One signature each for the overloads of `pg`.
  override query(...given: unknown[]): never {
    const answer: unknown = super.query(...(given as [string]))
    return (answer instanceof Promise ? answer.catch(throwOfDatabase) : answer) as never
  }

  override connect(told?: Told): never {
    return (told === undefined ? super.connect().catch(throwOfDatabase) : super.connect(told)) as never
  }
}
