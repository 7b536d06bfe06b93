/** Uses after which a statement is prepared. Statements of a migration or a start never get there. */
const FREQUENT = 20
/** Prepared statements of one connection. The most frequent ones get here first; each costs Postgres some memory. */
const PREPARED_AT_MOST = 64
/** Texts that are counted. Some texts depend on the length of a list, so there may be any number of them. */
const COUNTED_AT_MOST = 1_000

/**
 * The names of the statements that are worth preparing, by their text: Postgres parses and plans such a statement once
 * for each connection. A statement with `*` is never prepared: its result changes with the next migration, and Postgres
 * then refuses it on every connection that has it prepared.
 */
export function createFrequentStatements() {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()

  return {
    /** The name of a statement, or undefined while it is not worth a name. */
    nameOf: (text: string): string | undefined => {
      const known = names.get(text)
      if (known !== undefined || names.size >= PREPARED_AT_MOST) return known
      const count = (counts.get(text) ?? 0) + 1
      if (count < FREQUENT || !isPreparable(text)) {
        if (counts.size >= COUNTED_AT_MOST) counts.clear()
        counts.set(text, count)
        return undefined
      }
      counts.delete(text)
      const name = `frequent_${names.size}`
      names.set(text, name)
      return name
    },
  }
}

const isPreparable = (text: string): boolean =>
  /^\s*(?:select|with|insert|update|delete)\b/i.test(text) && !text.includes('*')

export type FrequentStatements = ReturnType<typeof createFrequentStatements>
