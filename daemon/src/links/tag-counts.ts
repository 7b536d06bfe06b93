import type { z } from 'zod'
import type { TagCounts } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices, type Pause } from '../watch/slices.ts'
import { sortInSlices } from '../watch/sort-in-slices.ts'
import type { VaultLinks } from './follow-links.ts'
import { createScans } from './in-time.ts'
import type { OpenLinks } from './link-index.ts'
import { namesIn } from './note-record.ts'

type Answer = Omit<z.infer<typeof TagCounts>, 'ok'>

/** The tags and the names of properties of a vault, each with the number of notes that have it, most frequent first. */
export type CountTags = (vault: Vault, page: { limit: number; offset: number }) => Promise<Answer>

type Deps = { linksOf: (vault: Vault) => VaultLinks; clock: Clock; deadlineMs: number }

/** How many notes have each name, and in the end all names, most frequent first. */
type Counts = { tags: Map<string, number>; properties: Map<string, number>; ranked?: Ranked }
type Ranked = { tags: Counted[]; properties: Counted[] }
type Counted = readonly [name: string, count: number]

/** Counts names. A large vault takes several requests, until every note was looked at. */
export function createCountTags({ linksOf, clock, deadlineMs }: Deps): CountTags {
  const scan = createScans<Counts>({ clock, deadlineMs, begin: () => ({ tags: new Map(), properties: new Map() }) })

  return async (vault, { limit, offset }) => {
    await vault.listed
    const { links, isComplete } = await linksOf(vault).use()
    const look = (counts: Counts, pause: Pause) => countAll(links, counts, pause)
    const { found, isWhole } = await scan({ links, isComplete, look })
    // Has no deadline: names that were counted are worth nothing unsorted.
    const ranked = found.ranked ?? (await rank(found, slices()))

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

async function countAll({ records }: OpenLinks, counts: Counts, pause: Pause): Promise<void> {
  for (let number = 0; number < records.count; number++) {
    const record = records.record(number)
    if (!record) continue
    const { tags, properties } = namesIn(record)
    for (const tag of tags) counts.tags.set(tag, (counts.tags.get(tag) ?? 0) + 1)
    for (const name of properties) counts.properties.set(name, (counts.properties.get(name) ?? 0) + 1)
    await pause()
  }
  counts.ranked = await rank(counts, pause)
}

const rank = async ({ tags, properties }: Counts, pause: Pause): Promise<Ranked> => ({
  tags: await inOrder(tags, pause),
  properties: await inOrder(properties, pause),
})

async function inOrder(counts: ReadonlyMap<string, number>, pause: Pause): Promise<Counted[]> {
  const names: Counted[] = []
  for (const counted of counts) {
    names.push(counted)
    await pause()
  }
  return sortInSlices(names, ([a, first], [b, second]) => second - first || (a < b ? -1 : 1), pause)
}
