import type { SearchBudget } from '../search/search-budget.ts'
import type { OpenLinks } from './link-index.ts'
import { linkResolver } from './link-meaning.ts'
import { linksIn } from './note-record.ts'

/** A note with links to a file, and the lines that contain them. */
export type Backlink = { path: string; lines: number[] }

/** The notes that link to a file, except itself. */
export async function* backlinksOf(
  links: OpenLinks,
  path: string,
  { pause }: Pick<SearchBudget, 'pause'>,
): AsyncGenerator<Backlink> {
  const referrers = await links.referrers()
  for (const number of referrers.mayLinkTo(path)) {
    await pause()
    const from = links.records.path(number)
    const record = links.records.record(number)
    if (from === undefined || !record || from === path) continue
    const { fileOf } = linkResolver(links, from)
    const lines = new Set<number>()
    for (const link of linksIn(record)) {
      if (fileOf(link) === path) lines.add(link.line)
      await pause()
    }
    if (lines.size > 0) yield { path: from, lines: [...lines] }
  }
}
