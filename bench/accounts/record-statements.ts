import pg from 'pg'

/** A statement as it was sent, and the number of the connection on which it was sent. */
export type Statement = { text: string; values: unknown[]; connection: number }
/** Statements that were in flight together. */
export type Batch = Statement[]

type Query = (...sent: unknown[]) => unknown

/**
 * Records the statements that this process sends between the start and the end of a recording. Statements that were in
 * flight at the same time form a batch.
 */
export function createRecorder() {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const connections = new Map<unknown, number>()
  let batches: Batch[] | undefined
  let inFlight = 0

  prototype.query = function (this: unknown, ...sent: unknown[]) {
    const answer = query.apply(this, sent)
    const { text, values } = statementOf(sent)
    if (batches === undefined || text === undefined || !(answer instanceof Promise)) return answer
    const connection = connections.get(this) ?? connections.size
    connections.set(this, connection)
    const statement = { text, values, connection }
    if (inFlight === 0) batches.push([statement])
    else batches.at(-1)!.push(statement)
    inFlight += 1
    const ended = () => void (inFlight -= 1)
    answer.then(ended, ended)
    return answer
  }

  return {
    start: () => {
      batches = []
    },
    end: (): Batch[] => {
      const recorded = batches ?? []
      batches = undefined
      return recorded
    },
  }
}

/** A statement is sent as a text with its values, or as an object when it is prepared. */
function statementOf([first, second]: unknown[]): { text?: string | undefined; values: unknown[] } {
  const { text, values } = typeof first === 'string' ? { text: first, values: second } : (first as Partial<Statement>)
  return { text, values: (values as unknown[] | undefined) ?? [] }
}
