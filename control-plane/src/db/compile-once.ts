import { sql, type CompiledQuery, type RawBuilder } from 'kysely'
import type { Db } from './database.ts'

/** The placeholder of a value that each call gives. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export type SlotOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>

/**
 * A query that is built and compiled at its first call, and from then on sent with other values. Use it for the queries
 * of every request: building such a query costs more than all other work of this process for it.
 */
export function compileOnce<Values extends object, Row>(
  db: Db,
  build: (slot: SlotOf<Values>) => { compile(): CompiledQuery<Row> },
): (values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined
  return async (values) => {
    compiled ??= build((name) => sql`${new Slot(name)}`).compile()
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    )
    const query: CompiledQuery<Row> = { ...compiled, parameters }
    return (await db.executeQuery(query)).rows
  }
}
