import type { z } from 'zod'
import type { TagCounts } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { OutOfBudget, createSearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultLinks } from './follow-links.ts'
import { namesIn } from './note-record.ts'

type Answer = Omit<z.infer<typeof TagCounts>, 'ok'>

/** The tags and the names of properties of a vault, each with the number of notes that have it, most frequent first. */
export type CountTags = (vault: Vault, page: { limit: number; offset: number }) => Promise<Answer>

type Deps = { linksOf: (vault: Vault) => VaultLinks; clock: Clock; deadlineMs: number }

export function createCountTags({ linksOf, clock, deadlineMs }: Deps): CountTags {
  return async (vault, { limit, offset }) => {
    await vault.listed
    const { links, isComplete } = await linksOf(vault).use()
    const { pause } = createSearchBudget({ clock, deadlineMs })
    const counts = { tags: new Map<string, number>(), properties: new Map<string, number>() }
    let inTime = true
    try {
      for (let number = 0; number < links.records.count; number++) {
        const record = links.records.record(number)
        if (!record) continue
        const { tags, properties } = namesIn(record)
        for (const tag of tags) counts.tags.set(tag, (counts.tags.get(tag) ?? 0) + 1)
        for (const name of properties) counts.properties.set(name, (counts.properties.get(name) ?? 0) + 1)
        await pause()
      }
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error
      inTime = false
    }

    const next = offset + limit
    return {
      tags: ranked(counts.tags)
        .slice(offset, next)
        .map(([tag, count]) => ({ tag, count })),
      properties: ranked(counts.properties)
        .slice(offset, next)
        .map(([name, count]) => ({ name, count })),
      partial: !isComplete || !inTime || !vault.isIndexed(),
      ...(next < Math.max(counts.tags.size, counts.properties.size) ? { nextCursor: String(next) } : {}),
    }
  }
}

const ranked = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
