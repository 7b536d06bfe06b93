/** A statement is prepared after this many uses. Statements of migrations and of the start are not used so often. */
const FREQUENT = 20
/**
 * Maximum number of prepared statements of a connection, because each costs Postgres memory. The most frequent
 * statements are prepared first.
 */
const PREPARED_AT_MOST = 64
/**
 * Maximum number of statements whose uses are counted. Some texts depend on the length of a list, so their number is
 * unlimited.
 */
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
    /** The name under which to prepare a statement; undefined while preparing is not worth it. */
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
