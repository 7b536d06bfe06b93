import type { OutgoingLink } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { SearchBudget } from '../search/search-budget.ts'
import type { OpenLinks } from './link-index.ts'
import { linkResolver } from './link-meaning.ts'
import { linksIn } from './note-record.ts'

/** The links of a note with their targets, in order. */
export async function* outgoingLinks(
  links: OpenLinks,
  from: string,
  { pause }: Pick<SearchBudget, 'pause'>,
): AsyncGenerator<OutgoingLink> {
  const number = links.records.numberOf(from)
  const record = number === undefined ? undefined : links.records.record(number)
  if (!record) return
  const { meaningOf } = linkResolver(links, from)
  for (const link of linksIn(record)) {
    yield meaningOf(link)
    await pause()
  }
}
