import type { z } from 'zod'
import type { LinkReport } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { createSearchBudget, type SearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import type { Pause } from '../watch/slices.ts'
import type { VaultLinks } from './follow-links.ts'
import { collectInTime, createScans } from './in-time.ts'
import type { OpenLinks } from './link-index.ts'
import { linkResolver } from './link-meaning.ts'
import { linksIn } from './note-record.ts'

type Answer = Omit<z.infer<typeof LinkReport>, 'ok'>
type Orphan = Answer['orphans'][number]
type Broken = Answer['broken'][number]

/** The broken links of a vault, and the files that no other file links to. */
export type ReportLinks = (vault: Vault, page: { limit: number; offset: number }) => Promise<Answer>

type Deps = { linksOf: (vault: Vault) => VaultLinks; clock: Clock; deadlineMs: number }

/** The result of checking every link; broken links as the number of their note and their index in it. */
type Findings = { broken: number[]; orphans: Orphan[] }

/** Reports broken links and orphans. A large vault takes several requests, until every link was looked at. */
export function createReportLinks({ linksOf, clock, deadlineMs }: Deps): ReportLinks {
  const scan = createScans<Findings>({ clock, deadlineMs, begin: () => ({ broken: [], orphans: [] }) })

  return async (vault, { limit, offset }) => {
    await vault.listed
    const { links, isComplete } = await linksOf(vault).use()
    const look = (findings: Findings, pause: Pause) => lookAtAll({ vault, links, findings, pause })
    const { found: findings, isWhole } = await scan({ links, isComplete, look })

    // As of now: what is not found yet may be found while the page is made.
    const counts = { broken: findings.broken.length / 2, orphans: findings.orphans.length }
    const orphans = findings.orphans.slice(offset, offset + limit)
    const rows = findings.broken.slice(offset * 2, (offset + limit) * 2)
    const broken: Broken[] = []
    // A deadline of its own: what was found is shown even if finding it took all the time.
    const toShow = createSearchBudget({ clock, deadlineMs })
    const isShown = await collectInTime(broken, () => shown(links, rows, toShow))
    return {
      counts,
      broken,
      orphans,
      partial: !isComplete || !isWhole || !isShown || !vault.isIndexed(),
      ...(offset + limit < Math.max(counts.broken, counts.orphans) ? { nextCursor: String(offset + limit) } : {}),
    }
  }
}

type Look = { vault: Vault; links: OpenLinks; findings: Findings; pause: Pause }

/** Completes the findings. Orphans are known only when all links were read. */
async function lookAtAll({ vault, links, findings, pause }: Look): Promise<void> {
  const linked = new Set<string>()
  for (let number = 0; number < links.records.count; number++) {
    await pause()
    const from = links.records.path(number)
    const record = links.records.record(number)
    if (from === undefined || !record) continue
    const { meaningOf } = linkResolver(links, from)
    let at = 0
    for (const link of linksIn(record)) {
      const { path, problem } = meaningOf(link)
      if (path !== undefined && path !== from) linked.add(path)
      if (problem !== undefined) findings.broken.push(number, at)
      at++
      await pause()
    }
  }
  for (const { path, facts } of vault.manifest.files()) {
    if (facts && !linked.has(path)) findings.orphans.push({ path, kind: facts.kind })
    await pause()
  }
}

/** The broken links of a page; each of their notes is read once. */
async function* shown(
  links: OpenLinks,
  rows: readonly number[],
  { pause }: Pick<SearchBudget, 'pause'>,
): AsyncGenerator<Broken> {
  const wanted = new Map<number, Set<number>>()
  for (let row = 0; row < rows.length; row += 2) {
    const [number, at] = [rows[row]!, rows[row + 1]!]
    wanted.set(number, (wanted.get(number) ?? new Set()).add(at))
  }
  for (const [number, indexes] of wanted) {
    const from = links.records.path(number)
    const record = links.records.record(number)
    if (from === undefined || !record) continue
    const { meaningOf } = linkResolver(links, from)
    let at = 0
    for (const link of linksIn(record)) {
      const meaning = indexes.has(at++) ? meaningOf(link) : undefined
      // Skips links that were repaired since.
      if (meaning?.problem) yield { ...meaning, problem: meaning.problem, from }
      await pause()
    }
  }
}
