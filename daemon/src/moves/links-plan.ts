import { fail } from '@svc/shared/wire/errors.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { baselineOf } from '../files/baseline.ts'
import type { FileAccess } from '../files/disk/file-access.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { ignoreMissing } from '../files/fs-failure.ts'
import type { VaultLinks } from '../links/follow-links.ts'
import type { OpenLinks } from '../links/link-index.ts'
import { linksIn } from '../links/note-record.ts'
import type { LinkPlace } from '../markdown/link-places.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { noteTextOf } from '../notes/decode-note.ts'
import { readWhenWritten } from '../notes/stored-note.ts'
import { createSearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import { namesAfter, type MovedFiles } from './moved-names.ts'
import { checkLinks, divertedIn, rewriteLinks, type LinkChange, type LinkWorld } from './rewrite-links.ts'

/** A file that a move rewrites, by its path before the move: its state as it was read, and its new content. */
export type PlannedRewrite = {
  path: string
  stamp: FileStamp
  access: FileAccess
  content: Buffer
  baseline: string
  changes: LinkChange[]
}

/**
 * Files that move, and new texts of notes that change in the same operation: links are rewritten in the new text. A
 * note with too many links stays as it is, unless it is to be refused.
 */
type Wish = {
  vault: Vault
  moved: MovedFiles
  edited?: ReadonlyMap<string, string>
  tooManyLinks?: 'refused' | 'left'
}

/**
 * Plans how links follow the files that they name. `take` gets each rewritten note as soon as it is known, so that not
 * all of them are in memory at once. `isCurrent` is false if links of the vault have changed since.
 */
export type PlanLinks = (
  wish: Wish,
  take: (rewrite: PlannedRewrite) => Promise<void>,
) => Promise<{ isCurrent(): Promise<boolean> }>

type Deps = {
  linksOf: (vault: Vault) => Pick<VaultLinks, 'use'>
  runNoteJob: RunNoteJob
  clock: Clock
  maxNoteBytes: number
}

// The longest time for reading the links of a very large vault; each wait ends at its own deadline.
const WAITS = 60

export function createPlanLinks({ linksOf, runNoteJob, clock, maxNoteBytes }: Deps): PlanLinks {
  /** The links of a note; undefined if it has too many for rewriting them. */
  const placesOf = (text: string): Promise<LinkPlace[] | undefined> =>
    runNoteJob({ job: 'linkPlaces', input: { text }, cost: costOfNote(text) }).catch((error: unknown) => {
      if (error instanceof ParsingStopped) return undefined
      throw error
    })

  async function rewriteNote(
    { vault, edited, tooManyLinks = 'left' }: Wish,
    world: LinkWorld,
    path: string,
  ): Promise<PlannedRewrite | undefined> {
    const { pause } = createSearchBudget({ clock, deadlineMs: Number.POSITIVE_INFINITY })
    const seen = await readWhenWritten(vault, path, maxNoteBytes).catch(ignoreMissing)
    const text = seen && (edited?.get(path) ?? noteTextOf(path, seen.bytes))
    if (!seen || text === undefined) return undefined
    const links = await placesOf(text)
    const result = links && (await rewriteLinks(world, { path, text, links }, pause))
    const after = result && (await placesOf(result.text))
    if ((!links || (result && !after)) && tooManyLinks === 'refused') throw unwritable(path)
    if (!result || !after) return undefined

    await checkLinks(world, { path, before: links, after }, pause)
    const content = Buffer.from(result.text)
    if (content.length > maxNoteBytes) throw fail('payload_too_large', { path, maxBytes: maxNoteBytes })
    const { stamp, access } = seen
    return { path, stamp, access, content, baseline: baselineOf(content), changes: result.changes }
  }

  /** The notes with links that would lead to another file after the move. */
  async function* divertedNotes(links: OpenLinks, world: LinkWorld): AsyncGenerator<string> {
    const { pause } = createSearchBudget({ clock, deadlineMs: Number.POSITIVE_INFINITY })
    const candidates = new Set<number>()
    const referrers = await links.referrers()
    for (const [old, path] of world.moved) {
      for (const number of referrers.mayLinkTo(old)) candidates.add(number)
      for (const number of referrers.mayLinkTo(path)) candidates.add(number)
      candidates.add(links.records.numberOf(old) ?? -1)
      await pause()
    }
    for (const number of candidates) {
      await pause()
      const [path, record] = [links.records.path(number), links.records.record(number)]
      if (path === undefined || !record) continue
      const isDiverted = divertedIn(world, path)
      for (const link of linksIn(record)) {
        await pause()
        if (isDiverted(link)) {
          yield path
          break
        }
      }
    }
  }

  return async (wish, take) => {
    const { vault, moved, edited } = wish
    const links = await wholeLinks(linksOf(vault))
    const version = links.changes()
    const world = { before: links.names, after: await namesAfter(links.names, moved, slices()), moved }
    const plan = async (path: string): Promise<void> => {
      const rewrite = await rewriteNote(wish, world, path)
      if (rewrite) await take(rewrite)
    }
    for (const path of edited?.keys() ?? []) await plan(path)
    for await (const path of divertedNotes(links, world)) if (!edited?.has(path)) await plan(path)
    return {
      async isCurrent() {
        const now = await wholeLinks(linksOf(vault))
        return now === links && now.changes() === version
      },
    }
  }
}

/** A link that has not been read yet would not be rewritten. */
async function wholeLinks(links: Pick<VaultLinks, 'use'>): Promise<OpenLinks> {
  for (let waits = 0; waits < WAITS; waits++) {
    const { links: open, isComplete } = await links.use()
    if (isComplete) return open
  }
  throw fail('too_many_requests', { reason: 'The links of the vault are still being read.' })
}

function unwritable(path: string) {
  const message = `must be false: links of ${path} would have to change, and it has too many to rewrite them`
  return fail('invalid_request', [{ path: 'rewriteLinks', message }])
}
