import { RpcFailure, rpcCodes } from './rpc-failure.ts'

const MOST_READ = 100

/**
 * The failure of a call of a tool that does not exist. Names the tool that may have been meant, otherwise all tools.
 * Pure.
 */
export function unknownTool(name: string, known: Iterable<string>): RpcFailure {
  const asked = name.slice(0, MOST_READ)
  const names = [...known]
  const meant = similarTool(asked, names)
  const next = meant === undefined ? `The tools are ${names.join(', ')}.` : `Did you mean ${meant}?`
  return new RpcFailure(rpcCodes.invalidParams, `Unknown tool: ${asked}. ${next}`)
}

/** Finds a tool with the same words in another spelling or order, with additional words, or with a typing error. */
function similarTool(asked: string, known: readonly string[]): string | undefined {
  const words = wordsOf(asked)
  if (words.length === 0) return undefined
  const spelling = words.join('')
  const distances = known.map((name) => ({ name, distance: distanceBetween(spelling, wordsOf(name).join('')) }))
  const [nearest] = distances.sort((a, b) => a.distance - b.distance)
  const longest = known
    .filter((name) => wordsOf(name).every((word) => words.includes(word)))
    .toSorted((a, b) => b.length - a.length)
  if (longest[0] !== undefined) return longest[0]
  return nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(spelling.length / 4))
    ? nearest.name
    : undefined
}

/** Words of `snake_case`, `kebab-case` and `camelCase`; a plural is its singular. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/s$/, ''))

/**
 * How many letters have to be added, removed, replaced or swapped with their neighbour to get from `a` to `b`. Both
 * texts are short.
 */
function distanceBetween(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, at) => [at, ...Array<number>(b.length).fill(0)])
  for (let at = 0; at <= b.length; at++) rows[0]![at] = at
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]![j] = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        rows[i - 1]![j - 1]! + cost,
        swapped ? rows[i - 2]![j - 2]! + 1 : Infinity,
      )
    }
  return rows[a.length]![b.length]!
}
