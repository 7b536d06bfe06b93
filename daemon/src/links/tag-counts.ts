import type { z } from 'zod'
import type { TagCounts } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { createSearchBudget, type SearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import { sortInSlices } from '../watch/sort-in-slices.ts'
import type { VaultLinks } from './follow-links.ts'
import { inTime } from './in-time.ts'
import type { OpenLinks } from './link-index.ts'
import { namesIn } from './note-record.ts'

type Answer = Omit<z.infer<typeof TagCounts>, 'ok'>

/** The tags and the names of properties of a vault, each with the number of notes that have it, most frequent first. */
export type CountTags = (vault: Vault, page: { limit: number; offset: number }) => Promise<Answer>

type Deps = { linksOf: (vault: Vault) => VaultLinks; clock: Clock; deadlineMs: number }

/** All names with their counts, most frequent first. */
type Ranked = { changes: number; tags: Counted[]; properties: Counted[] }
type Counted = readonly [name: string, count: number]

/** Counting and sorting the names of a large vault is slow, so the result is cached until a change: pages follow. */
export function createCountTags({ linksOf, clock, deadlineMs }: Deps): CountTags {
  const kept = new WeakMap<OpenLinks, Ranked>()

  return async (vault, { limit, offset }) => {
    await vault.listed
    const { links, isComplete } = await linksOf(vault).use()
    const known = kept.get(links)
    let ranked = known?.changes === links.changes() ? known : undefined
    let isWhole = true
    if (!ranked) {
      const changes = links.changes()
      const counts = { tags: new Map<string, number>(), properties: new Map<string, number>() }
      const budget = createSearchBudget({ clock, deadlineMs })
      isWhole = await inTime(() => countAll(links, counts, budget))
      ranked = { changes, tags: await rank(counts.tags), properties: await rank(counts.properties) }
      if (isComplete && isWhole && changes === links.changes()) kept.set(links, ranked)
    }

    const { tags, properties } = ranked
    const next = offset + limit
    return {
      tags: tags.slice(offset, next).map(([tag, count]) => ({ tag, count })),
      properties: properties.slice(offset, next).map(([name, count]) => ({ name, count })),
      partial: !isComplete || !isWhole || !vault.isIndexed(),
      ...(next < Math.max(tags.length, properties.length) ? { nextCursor: String(next) } : {}),
    }
  }
}

type Counts = { tags: Map<string, number>; properties: Map<string, number> }

async function countAll({ records }: OpenLinks, counts: Counts, { pause }: SearchBudget): Promise<void> {
  for (let number = 0; number < records.count; number++) {
    const record = records.record(number)
    if (!record) continue
    const { tags, properties } = namesIn(record)
    for (const tag of tags) counts.tags.set(tag, (counts.tags.get(tag) ?? 0) + 1)
    for (const name of properties) counts.properties.set(name, (counts.properties.get(name) ?? 0) + 1)
    await pause()
  }
}

/** Has no deadline: names that were counted are worth nothing unsorted. */
async function rank(counts: ReadonlyMap<string, number>): Promise<Counted[]> {
  const pause = slices()
  const names: Counted[] = []
  for (const counted of counts) {
    names.push(counted)
    await pause()
  }
  return sortInSlices(names, ([a, first], [b, second]) => second - first || (a < b ? -1 : 1), pause)
}
