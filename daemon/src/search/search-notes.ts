import type { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { SearchHit } from '@svc/shared/wire/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { readWhole } from '../files/open-file.ts'
import { decodeNote } from '../notes/note-text.ts'
import type { Vault } from '../vaults/vault.ts'
import { parseQuery, type Phrase, type Query } from './query.ts'
import type { SearchIndex } from './search-index.ts'
import { findPhrase, snippetsOf } from './snippets.ts'
import { tokensOf } from './tokens.ts'

const SNIPPETS = 3

type Request = { q: string; limit: number; cursor?: string | undefined }
type Found = { hits: z.infer<typeof SearchHit>[]; total: number; partial: boolean; nextCursor?: string }

/** Searches a vault: the same for REST, UI and MCP. */
export type SearchNotes = (vault: Vault, request: Request) => Promise<Found>

/** Makes the search. Past the deadline it answers what it has, as `partial`. */
export function searchNotes({
  indexOf,
  clock,
  deadlineMs,
  maxNoteBytes,
}: {
  indexOf: (vault: Vault) => SearchIndex
  clock: Clock
  deadlineMs: number
  maxNoteBytes: number
}): SearchNotes {
  return async (vault, { q, limit, cursor }) => {
    const end = clock.monotonic() + deadlineMs
    const isLate = () => clock.monotonic() > end
    const textOf = async (path: string) => {
      const { bytes } = await readWhole(vault.layout.root, path, maxNoteBytes)
      return decodeNote(bytes)
    }

    const query = parseQuery(q)
    const offset = parseCursor(cursor)
    const index = indexOf(vault)
    const { paths, partial } = await select({ index, query, textOf, isLate })

    const page = paths.slice(offset, offset + limit)
    const hits = []
    for (const { path, score } of page) {
      const text = isLate() ? undefined : await textOf(path).catch(() => undefined)
      const snippets = text === undefined ? [] : snippetsOf(text, query.must, SNIPPETS)
      hits.push({ path, title: index.facts(path)?.title ?? path, score, snippets })
    }
    const more = offset + limit < paths.length
    return {
      hits,
      total: paths.length,
      partial: partial || isLate() || !vault.isIndexed(),
      ...(more ? { nextCursor: String(offset + limit) } : {}),
    }
  }
}

type Selection = {
  index: SearchIndex
  query: Query
  textOf(path: string): Promise<string | undefined>
  isLate(): boolean
}

async function select({ index, query, textOf, isLate }: Selection) {
  const { must, mustNot, filters } = query
  if (must.length === 0 && filters.length === 0 && mustNot.length === 0) return { paths: [], partial: false }

  const single = (phrase: Phrase) => phrase.terms.length === 1
  const excluded = new Set(
    mustNot.filter(single).flatMap((phrase) => index.candidates([phrase]).map(({ path }) => path)),
  )
  const held = index.candidates(must).filter(({ path }) => !excluded.has(path) && index.passes(path, filters))
  if (must.length === 0) held.sort((a, b) => (a.path < b.path ? -1 : 1))

  // Only the text tells whether words are neighbours.
  const adjacent = must.filter((phrase) => !single(phrase))
  const forbidden = mustNot.filter((phrase) => !single(phrase))
  if (adjacent.length === 0 && forbidden.length === 0) return { paths: held, partial: false }

  const paths = []
  for (const candidate of held) {
    if (isLate()) return { paths, partial: true }
    const text = await textOf(candidate.path).catch(() => undefined)
    if (text === undefined) continue
    const title = index.facts(candidate.path)?.title ?? ''
    const sources = [text, title, candidate.path].map((source) => [...tokensOf(source)])
    const stands = (phrase: Phrase) => sources.some((tokens) => findPhrase(tokens, phrase).length > 0)
    if (adjacent.every(stands) && !forbidden.some(stands)) paths.push(candidate)
  }
  return { paths, partial: false }
}

function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const offset = Number(cursor)
  if (!/^\d{1,9}$/.test(cursor))
    throw fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor of this search' }])
  return offset
}
