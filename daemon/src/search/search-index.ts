import MiniSearch from 'minisearch'
import type { NoteFacts } from '../notes/note-facts.ts'
import type { Filter, Phrase } from './query.ts'
import { fold, tokensOf } from './tokens.ts'

type Indexed = { id: string; title: string; path: string; body: string }

/** The words of all notes of a vault, in memory. Knows nothing of files: it is told what they hold. */
export type SearchIndex = {
  put(path: string, facts: NoteFacts, text: string): void
  remove(path: string): void
  /** Paths that hold all the words, best first; every path when there are none. Neighbourhood is not checked. */
  candidates(phrases: readonly Phrase[]): { path: string; score: number }[]
  passes(path: string, filters: readonly Filter[]): boolean
  facts(path: string): NoteFacts | undefined
  size(): number
}

/** A new, empty index. */
export function searchIndex(): SearchIndex {
  const words = new MiniSearch<Indexed>({
    fields: ['title', 'path', 'body'],
    tokenize: (text) => Array.from(tokensOf(text), ({ term }) => term),
    processTerm: (term) => term,
    searchOptions: { tokenize: (text) => [text], boost: { title: 4, path: 2 } },
  })
  const known = new Map<string, NoteFacts>()

  return {
    put(path, facts, text) {
      const document = { id: path, title: facts.title, path, body: text }
      if (known.has(path)) words.replace(document)
      else words.add(document)
      known.set(path, facts)
    },
    remove(path) {
      if (!known.delete(path)) return
      words.discard(path)
    },
    candidates(phrases) {
      if (phrases.length === 0) return Array.from(known.keys(), (path) => ({ path, score: 0 }))
      const queries = phrases.flatMap(({ terms, prefix }) =>
        terms.map(({ term }, index) => ({ queries: [term], prefix: prefix && index === terms.length - 1 })),
      )
      const found = words.search({ combineWith: 'AND', queries })
      return found.map(({ id, score }) => ({ path: String(id), score }))
    },
    passes(path, filters) {
      const facts = known.get(path)
      return facts !== undefined && filters.every((filter) => holds(filter, path, facts) !== filter.negated)
    },
    facts: (path) => known.get(path),
    size: () => known.size,
  }
}

function holds(filter: Filter, path: string, facts: NoteFacts): boolean {
  switch (filter.kind) {
    case 'path':
      return fold(path).includes(filter.value)
    case 'title':
      return fold(facts.title).includes(filter.value)
    case 'tag':
      return facts.tags.some((tag) => tag === filter.value || tag.startsWith(`${filter.value}/`))
    case 'prop': {
      const key = Object.keys(facts.properties).find((name) => name.toLowerCase() === filter.key)
      if (key === undefined) return false
      const value = facts.properties[key]
      if (filter.value === undefined) return true
      return (Array.isArray(value) ? value : [value]).some((one) => fold(textOf(one)) === filter.value)
    }
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
