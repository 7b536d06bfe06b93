import { fold } from './fold.ts'
import { queryTokensOf } from './tokens.ts'

/** Words that must follow each other; usually a single word. With `prefix` the last one may be a prefix. */
export type Phrase = { terms: { term: string; offset: number }[]; prefix: boolean }

/** A condition on something other than words. Keys and values are folded. */
export type Filter =
  | { kind: 'path' | 'title'; value: string; negated: boolean }
  | { kind: 'tag'; value: string; negated: boolean }
  | { kind: 'prop'; key: string; value: string | undefined; negated: boolean }

/** A parsed search: all phrases and filters must match, and no excluded phrase may. */
export type Query = { must: Phrase[]; mustNot: Phrase[]; filters: Filter[] }

// The last alternative consumes the whole word where the one with `=` fails, so no word is tried again from its middle.
// oxlint-disable-next-line regexp/no-super-linear-move
const PART = /(-)?(?:(path|tag|title|prop):)?(?:"([^"]*)(?:"|$)|([^\s"=]+=)"([^"]*)(?:"|$)|(\S+))/giu

/** Parses `words "phrases" -not path: tag: title: prop:key=value`. Every text is a query; there are no errors. */
export function parseQuery(text: string): Query {
  const query: Query = { must: [], mustNot: [], filters: [] }

  for (const match of text.matchAll(PART)) {
    const [whole, minus, field, quoted, key, quotedValue, bare] = match
    const value = quoted ?? bare ?? `${key}${quotedValue}`
    const negated = minus !== undefined
    const filter = field === undefined ? undefined : toFilter(field.toLowerCase(), value, negated)
    if (filter) {
      query.filters.push(filter)
      continue
    }
    if (field !== undefined) continue

    const isLast = match.index + whole.length === text.length
    const phrase = toPhrase(value, bare !== undefined && isLast && !negated)
    if (phrase) (negated ? query.mustNot : query.must).push(phrase)
  }
  return { must: distinct(query.must), mustNot: distinct(query.mustNot), filters: distinct(query.filters) }
}

/** Drops repetitions: they change nothing in what is found, and a query has room for hundreds of them. */
const distinct = <T>(parts: readonly T[]): T[] => [
  ...new Map(parts.map((part) => [JSON.stringify(part), part])).values(),
]

function toFilter(field: string, value: string, negated: boolean): Filter | undefined {
  if (value === '') return undefined
  if (field === 'prop') {
    const at = value.indexOf('=')
    const [key, wanted] = at === -1 ? [value, undefined] : [value.slice(0, at), value.slice(at + 1)]
    return { kind: 'prop', key: fold(key), value: wanted === undefined ? undefined : fold(wanted), negated }
  }
  if (field === 'tag') return { kind: 'tag', value: fold(value.replace(/^#/, '')), negated }
  return { kind: field as 'path' | 'title', value: fold(value), negated }
}

function toPhrase(text: string, open: boolean): Phrase | undefined {
  const tokens = queryTokensOf(text)
  const first = tokens[0]
  if (!first) return undefined
  const terms = tokens.map(({ term, position }) => ({ term, offset: position - first.position }))
  const last = terms.at(-1)!.term
  // One Latin letter would match a good part of the vocabulary; one character of an unspaced script is half a pair.
  const prefix = open
    ? last.length > 1 || !/[a-z0-9]/.test(last)
    : last.length === 1 && !/[\p{Script=Latin}\p{N}_]/u.test(last)
  return { terms, prefix }
}
