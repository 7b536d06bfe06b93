import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { Secret } from '@svc/shared/kit/secret.ts'

/** Parses the text of a variable, or returns its problem. */
export type Read<Value> = (text: string) => { value: Value } | { problem: string }

/** A variable of the environment. One without `initial` may be unset. */
export type Variable = { read: Read<unknown>; initial?: unknown; meaning: string }

type Variables = Readonly<Record<string, Variable>>

/** The values of variables by name. */
export type ValuesOf<Table extends Variables> = {
  readonly [Name in keyof Table]: Table[Name] extends { read: Read<infer Value> }
    ? Table[Name] extends { initial: Value }
      ? Value
      : Value | undefined
    : never
}

/** Reads variables. An empty one counts as unset; all problems are reported at once. */
export function readVariables<Table extends Variables>(
  table: Table,
  environment: Record<string, string | undefined>,
): ValuesOf<Table> {
  const problems: { path: string; message: string }[] = []
  const values = Object.entries(table).map(([name, { read, initial }]) => {
    const text = environment[name]
    if (text === undefined || text === '') return [name, initial]
    const result = read(text)
    if ('value' in result) return [name, result.value]
    problems.push({ path: name, message: result.problem })
    return [name, undefined]
  })
  if (problems.length > 0) throw new ConfigurationError(problems)
  return Object.freeze(Object.fromEntries(values)) as ValuesOf<Table>
}

/** The variables with default and meaning, one per line, for `--help`. */
export function describeVariables(table: Variables): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length))
  const rows = Object.entries(table).map(([name, { initial, meaning }]) => {
    const value = initial === undefined ? '' : ` (default ${shown(initial)})`
    return `  ${name.padEnd(width)}  ${meaning}${value}`
  })
  return rows.join('\n')
}

const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

export const text: Read<string> = (given) => ({ value: given })

/** A secret, which never prints. */
export const secretText: Read<Secret> = (given) => ({ value: new Secret(given) })

/** An absolute URL. */
export const url: Read<string> = (given) =>
  URL.canParse(given.trim()) ? { value: given.trim() } : { problem: 'Invalid URL' }

/** One of the given words. */
export const oneOf =
  <const Word extends string>(words: readonly Word[]): Read<Word> =>
  (given) => {
    const found = words.find((word) => word === given)
    if (found !== undefined) return { value: found }
    return { problem: `Invalid option: expected one of ${words.map((word) => `"${word}"`).join('|')}` }
  }

const switchWord = oneOf(['0', '1', 'true', 'false'])

/** A switch: 1 or true, 0 or false. */
export const flag: Read<boolean> = (given) => {
  const word = switchWord(given)
  return 'problem' in word ? word : { value: word.value === '1' || word.value === 'true' }
}

/** A whole number within bounds. */
export const integer =
  (min: number, max: number): Read<number> =>
  (given) => {
    const value = Number(given)
    if (!Number.isFinite(value)) return { problem: `Invalid input: expected number, received ${value}` }
    if (!Number.isInteger(value)) return { problem: 'Invalid input: expected int, received number' }
    if (value < min) return { problem: `Too small: expected number to be >=${min}` }
    if (value > max) return { problem: `Too big: expected number to be <=${max}` }
    return { value }
  }

/** A TCP port; 0 lets the system choose. */
export const port = integer(0, 65_535)

/** Names separated by commas, converted to lower case. */
export const nameList: Read<string[]> = (given) => ({
  value: given
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== ''),
})
