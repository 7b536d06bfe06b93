import type { z } from 'zod'
import type { LinkReport } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { OutOfBudget, createSearchBudget, type SearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultLinks } from './follow-links.ts'
import type { OpenLinks } from './link-index.ts'
import { meaningsIn } from './link-meaning.ts'

type Answer = Omit<z.infer<typeof LinkReport>, 'ok'>
type Orphan = Answer['orphans'][number]
type Broken = Answer['broken'][number]

/** The broken links of a vault, and the files that no other file links to. */
export type ReportLinks = (vault: Vault, page: { limit: number; offset: number }) => Promise<Answer>

type Deps = { linksOf: (vault: Vault) => VaultLinks; clock: Clock; deadlineMs: number }

/** The result of checking every link; broken links as the number of their note and their index in it. */
type Findings = { changes: number; broken: number[]; orphans: Orphan[] }

/**
 * Reports broken links and orphans. Reading every link of a large vault is slow, so the result is cached until a
 * change.
 */
export function createReportLinks({ linksOf, clock, deadlineMs }: Deps): ReportLinks {
  const kept = new WeakMap<OpenLinks, Findings>()

  return async (vault, { limit, offset }) => {
    await vault.listed
    const { links, isComplete } = await linksOf(vault).use()
    const budget = createSearchBudget({ clock, deadlineMs })
    const known = kept.get(links)
    const findings: Findings =
      known?.changes === links.changes() ? known : { changes: links.changes(), broken: [], orphans: [] }
    let inTime = true
    if (findings !== known) {
      inTime = await lookAtAll({ vault, links, findings, budget })
      if (isComplete && inTime && findings.changes === links.changes()) kept.set(links, findings)
    }

    const { broken, orphans } = findings
    const counts = { broken: broken.length / 2, orphans: orphans.length }
    return {
      counts,
      broken: Array.from(shown(links, broken.slice(offset * 2, (offset + limit) * 2))),
      orphans: orphans.slice(offset, offset + limit),
      partial: !isComplete || !inTime || !vault.isIndexed(),
      ...(offset + limit < Math.max(counts.broken, counts.orphans) ? { nextCursor: String(offset + limit) } : {}),
    }
  }
}

type Look = { vault: Vault; links: OpenLinks; findings: Findings; budget: SearchBudget }

/** Completes the findings; false if the deadline came first. Orphans are known only when all links were read. */
async function lookAtAll({ vault, links, findings, budget }: Look): Promise<boolean> {
  const linked = new Set<string>()
  try {
    for (let number = 0; number < links.records.count; number++) {
      const from = links.records.path(number)
      if (from === undefined) continue
      let at = 0
      for (const { path, problem } of meaningsIn(links, from)) {
        if (path !== undefined && path !== from) linked.add(path)
        if (problem !== undefined) findings.broken.push(number, at)
        if (++at % 64 === 0) await budget.pause()
      }
      await budget.pause()
    }
    for (const { path, facts } of vault.manifest.files()) {
      if (facts && !linked.has(path)) findings.orphans.push({ path, kind: facts.kind })
      await budget.pause()
    }
    return true
  } catch (error) {
    if (error instanceof OutOfBudget) return false
    throw error
  }
}

function* shown(links: OpenLinks, broken: readonly number[]): Generator<Broken> {
  for (let at = 0; at < broken.length; at += 2) {
    const from = links.records.path(broken[at]!)
    const link = from === undefined ? undefined : Array.from(meaningsIn(links, from))[broken[at + 1]!]
    // Skips links that were repaired since.
    if (from !== undefined && link?.problem) yield { ...link, problem: link.problem, from }
  }
}
