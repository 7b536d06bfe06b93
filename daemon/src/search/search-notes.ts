import type { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { SearchHit } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { DescribeFile } from '../notes/describe-file.ts'
import { decodeNote } from '../notes/decode-note.ts'
import { readNoteFile } from '../notes/stored-note.ts'
import type { Vault } from '../vaults/vault.ts'
import { parseQuery, type Phrase } from './words/query.ts'
import { createLiveTexts } from './unsaved-texts.ts'
import type { SearchIndex } from './search-index.ts'
import { nextCursorOf, searchPage } from './search-page.ts'
import { OutOfBudget, createSearchBudget, type SearchBudget } from './search-budget.ts'
import { snippetsOf, type Snippet } from './snippets.ts'

const SNIPPETS = 3
// In a vault of this size, the first searches take many times as long until V8 has optimized their code.
const LARGE = 20_000

type Request = { q: string; limit: number; cursor?: string | undefined; signal?: AbortSignal | undefined }
type Found = { hits: z.infer<typeof SearchHit>[]; total: number; partial: boolean; nextCursor?: string }

/** Searches a vault; the same for REST, UI and MCP. */
export type SearchNotes = (vault: Vault, request: Request) => Promise<Found>

/** Searches until a deadline. After the deadline it returns the findings so far, marked `partial`. */
export function createSearchNotes({
  indexOf,
  describeFile,
  expectWork,
  clock,
  deadlineMs,
  maxNoteBytes,
}: {
  indexOf: (vault: Vault) => SearchIndex
  describeFile: DescribeFile
  /** Called before a search of a large vault. */
  expectWork?: (() => void) | undefined
  clock: Clock
  deadlineMs: number
  maxNoteBytes: number
}): SearchNotes {
  const indexLiveTexts = createLiveTexts({ describeFile, maxNoteBytes })

  return async (vault, { q, limit, cursor, signal }) => {
    const budget = createSearchBudget({ clock, deadlineMs, signal })
    const page = searchPage({ cursor, limit })
    const query = parseQuery(q)
    const isEmpty = query.must.length + query.mustNot.length + query.filters.length === 0
    if (isEmpty) return { hits: [], total: 0, partial: false }

    if (vault.manifest.count() >= LARGE) expectWork?.()
    const index = indexOf(vault)
    await indexLiveTexts({ vault, index, budget })
    const { found, total, partial } = await index.find({ query, ...page, budget })
    const hits = []
    for (const { path, title, score } of found) {
      const text = budget.isLate() ? undefined : await textOf({ vault, path, maxNoteBytes })
      const snippets = text === undefined ? [] : await snippetsInTime(text, query.must, budget)
      hits.push({ path, title, score, snippets })
    }
    const nextCursor = nextCursorOf(page, total)
    return {
      hits,
      total,
      partial: partial || budget.isLate() || !vault.isIndexed() || lacksFolder(vault),
      ...(nextCursor !== undefined && { nextCursor }),
    }
  }
}

/**
 * True while the disk of a folder is away or the folder cannot be read, and nothing is remembered of its notes; or while
 * a file could not be read.
 */
const lacksFolder = ({ away, unread, manifest }: Vault): boolean =>
  [...away(), ...unread()].some((path) => manifest.isEmpty(path))

/** The text of a note, or undefined when it cannot be read now: the hit is then returned without lines. */
async function textOf({ vault, path, maxNoteBytes }: { vault: Vault; path: string; maxNoteBytes: number }) {
  try {
    const { bytes } = await readNoteFile(vault, path, maxNoteBytes)
    const text = decodeNote(bytes)
    return text === undefined ? undefined : (vault.live.unsaved(path, text) ?? text)
  } catch {
    return undefined
  }
}

async function snippetsInTime(text: string, phrases: readonly Phrase[], budget: SearchBudget): Promise<Snippet[]> {
  try {
    return await snippetsOf(text, phrases, { limit: SNIPPETS, pause: budget.pause })
  } catch (error) {
    if (error instanceof OutOfBudget) return []
    throw error
  }
}
