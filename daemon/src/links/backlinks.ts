import type { SearchBudget } from '../search/search-budget.ts'
import type { OpenLinks } from './link-index.ts'
import { fileOf } from './link-meaning.ts'
import { linksIn } from './note-record.ts'

/** A note with links to a file, and the lines that contain them. */
export type Backlink = { path: string; lines: number[] }

/** The notes that link to a file, except itself. */
export async function* backlinksOf(links: OpenLinks, path: string, budget: SearchBudget): AsyncGenerator<Backlink> {
  const referrers = await links.referrers()
  for (const number of referrers.mayLinkTo(path)) {
    await budget.pause()
    const from = links.records.path(number)
    const record = links.records.record(number)
    if (from === undefined || !record || from === path) continue
    const lines = new Set<number>()
    for (const link of linksIn(record)) if (fileOf(links, link, from) === path) lines.add(link.line)
    if (lines.size > 0) yield { path: from, lines: [...lines] }
  }
}
