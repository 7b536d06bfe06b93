import { createHash } from 'node:crypto'
import { fold } from './fold.ts'
import type { Filter } from './query.ts'

// No word contains these characters, so tags and properties can be terms like words.
const TAG = '\u0001'
const PROPERTY = '\u0002'
const VALUE = '\u0003'
const MAX_LENGTH = 120
const MAX_FOLDED = 1000

/** A tag or property filter. One term decides it. */
export type TermFilter = Extract<Filter, { kind: 'tag' } | { kind: 'prop' }>

/** The terms for the tags and properties of a note. A nested tag also adds the terms of its parents. */
export function filterTermsOf(tags: readonly string[], properties: Record<string, unknown>): Set<string> {
  const terms = new Set<string>()
  for (const tag of tags) {
    const folded = foldStart(tag)
    for (let slash = folded.indexOf('/'); slash !== -1; slash = folded.indexOf('/', slash + 1))
      terms.add(short(TAG + folded.slice(0, slash)))
    terms.add(short(TAG + folded))
  }
  for (const [name, value] of Object.entries(properties)) {
    const key = foldStart(name)
    terms.add(short(PROPERTY + key))
    for (const one of Array.isArray(value) ? value : [value])
      terms.add(short(`${VALUE}${key}${VALUE}${foldStart(textOf(one))}`))
  }
  return terms
}

/** The term of exactly those notes that pass a filter. */
export function termOfFilter(filter: TermFilter): string {
  if (filter.kind === 'tag') return short(TAG + filter.value)
  if (filter.value === undefined) return short(PROPERTY + filter.key)
  return short(`${VALUE}${filter.key}${VALUE}${filter.value}`)
}

/** The folded start of a text. Nobody searches for the end of a title of megabytes. */
export const foldStart = (text: string): string => fold(text.length > MAX_FOLDED ? text.slice(0, MAX_FOLDED) : text)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Long terms are replaced by their digest: they are only ever compared whole. */
function short(term: string): string {
  if (term.length <= MAX_LENGTH) return term
  return term[0] + createHash('sha256').update(term).digest('base64url')
}
