import type { z } from 'zod'
import type { LinkGraph } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createSearchBudget, type SearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import { backlinksOf } from './backlinks.ts'
import type { VaultLinks } from './follow-links.ts'
import { inTime } from './in-time.ts'
import type { OpenLinks } from './link-index.ts'
import { linkResolver } from './link-meaning.ts'
import { titleOf } from './links-of-file.ts'
import { linksIn } from './note-record.ts'

type Answer = Omit<z.infer<typeof LinkGraph>, 'ok'>
type Wish = { path?: string | undefined; depth: number; limit: number; offset: number }

/** Which files link to which: around one file, or of the vault in pages of notes with what they link to. */
export type GraphLinks = (vault: Vault, wish: Wish) => Promise<Answer>

type Deps = { linksOf: (vault: Vault) => VaultLinks; clock: Clock; deadlineMs: number }

/** Files and links found so far. A full graph accepts no more of them. */
type Found = { files: Set<string>; edges: Map<string, Set<string>>; links: number; most: number; isCut: boolean }

// Checking and writing more than this in one response would hold the event loop. One note has at most half as many.
const MAX_EDGES = 20_000

export function createGraphLinks({ linksOf, clock, deadlineMs }: Deps): GraphLinks {
  return async (vault, { path: asked, depth, limit, offset }) => {
    await vault.listed
    const path = asked === undefined ? undefined : vault.manifest.onDisk(asked)
    if (path !== undefined && !vault.manifest.file(path)) throw fail('not_found')
    const { links, isComplete } = await linksOf(vault).use()
    const budget = createSearchBudget({ clock, deadlineMs })
    const found: Found = { files: new Set(), edges: new Map(), links: 0, most: limit, isCut: false }
    const page = { next: offset }
    const isInTime = await inTime(async () => {
      if (path === undefined) await addPage({ links, found, budget, limit, page })
      else await addNeighbours({ links, found, budget, path, depth })
    })
    // A page that ends at the deadline lacks nothing: the next one goes on, at least one note further.
    const isWhole = isInTime || (path === undefined && page.next > offset)
    const next = isWhole ? page.next : page.next + 1
    const hasNext = path === undefined && next < links.records.count
    return {
      nodes: Array.from(found.files, (file) => nodeOf(vault, file)),
      edges: Array.from(found.edges, ([from, targets]) => Array.from(targets, (to) => ({ from, to }))).flat(),
      partial: !isComplete || !isWhole || found.isCut || !vault.isIndexed(),
      ...(hasNext ? { nextCursor: String(next) } : {}),
    }
  }
}

/** `page.next`: the number of the first note that is not added yet. */
type Page = { links: OpenLinks; found: Found; budget: SearchBudget; limit: number; page: { next: number } }

/** Adds the notes of a page, which ends early when it is full of links. */
async function addPage({ links, found, budget, limit, page }: Page): Promise<void> {
  const { records } = links
  found.most = Number.POSITIVE_INFINITY
  for (let notes = 0; page.next < records.count && notes < limit; page.next++) {
    await budget.pause()
    const from = records.path(page.next)
    if (from === undefined) continue
    const targets = await targetsOf(links, from, budget)
    if (found.links + targets.size > MAX_EDGES) return
    notes++
    found.files.add(from)
    for (const to of targets) addEdge(found, from, to)
  }
}

type Around = { links: OpenLinks; found: Found; budget: SearchBudget; path: string; depth: number }

/** Adds everything within that many links of a file, in either direction. */
async function addNeighbours({ links, found, budget, path, depth }: Around): Promise<void> {
  found.files.add(path)
  let edge = [path]
  for (let step = 0; step < depth && edge.length > 0; step++) {
    const before = new Set(found.files)
    for (const file of edge) {
      if (found.isCut && found.links === MAX_EDGES) return
      await budget.pause()
      for (const to of await targetsOf(links, file, budget)) addEdge(found, file, to)
      for await (const { path: from } of backlinksOf(links, file, budget)) addEdge(found, from, file)
    }
    edge = [...found.files].filter((file) => !before.has(file))
  }
}

async function targetsOf(links: OpenLinks, from: string, { pause }: SearchBudget): Promise<Set<string>> {
  const targets = new Set<string>()
  const number = links.records.numberOf(from)
  const record = number === undefined ? undefined : links.records.record(number)
  const { fileOf } = linkResolver(links, from)
  for (const link of record ? linksIn(record) : []) {
    const target = fileOf(link)
    if (target !== undefined && target !== from) targets.add(target)
    await pause()
  }
  return targets
}

function addEdge(found: Found, from: string, to: string): void {
  const targets = found.edges.get(from) ?? new Set()
  if (targets.has(to)) return
  const fresh = [from, to].filter((file) => !found.files.has(file))
  if (found.files.size + fresh.length > found.most || found.links === MAX_EDGES) {
    found.isCut = true
    return
  }
  for (const file of fresh) found.files.add(file)
  found.edges.set(from, targets.add(to))
  found.links++
}

function nodeOf(vault: Vault, path: string): Answer['nodes'][number] {
  const isNote = vault.manifest.file(path)?.facts?.kind === 'note'
  return isNote ? { path, kind: 'note', title: titleOf(vault, path) } : { path, kind: 'attachment' }
}
