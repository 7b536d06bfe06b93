import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { baselineOf } from '../files/baseline.ts'
import { FOLDERS_FILE } from '../files/move-intent.ts'
import { readWhole, type FileStamp } from '../files/open-file.ts'
import type { VaultLinks } from '../links/follow-links.ts'
import type { OpenLinks } from '../links/link-index.ts'
import { linksIn } from '../links/note-record.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { decodeNote, noteTextOf } from '../notes/decode-note.ts'
import { createSearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import { movedFiles, type MoveSource } from './moved-files.ts'
import { namesAfter, type MovedFiles } from './moved-names.ts'
import { movedSettings } from './moved-settings.ts'
import { checkLinks, isDivertedBy, rewriteLinks, type LinkChange, type LinkWorld } from './rewrite-links.ts'

/** A file that a move rewrites, by its path before the move, as it was read and with what it will hold. */
export type PlannedRewrite = {
  path: string
  stamp: FileStamp
  mode: number
  content: Buffer
  baseline: string
  changes: LinkChange[]
}

/** Where the files of a move go. `isCurrent` is false when links of the vault have changed since. */
export type PlannedMove = { moved: MovedFiles; isCurrent(): Promise<boolean> }

/** Whether links are rewritten, or stay as they are whatever they mean then. */
export type Links = 'rewritten' | 'left'

type Deps = {
  linksOf: (vault: Vault) => Pick<VaultLinks, 'use'>
  runNoteJob: RunNoteJob
  clock: Clock
  maxNoteBytes: number
}

type Wish = { vault: Vault; source: MoveSource; to: string; links: Links }

/** Plans moves. `take` gets each rewritten file as soon as it is known, so that not all of them are held at once. */
export type PlanMove = (wish: Wish, take: (rewrite: PlannedRewrite) => Promise<void>) => Promise<PlannedMove>

const MAX_SETTINGS = 1024 * 1024
// Reading the links of a very large vault takes this long at most; each wait ends by the deadline of a question.
const WAITS = 60

export function createPlanMove({ linksOf, runNoteJob, clock, maxNoteBytes }: Deps): PlanMove {
  async function rewriteNote(vault: Vault, world: LinkWorld, path: string): Promise<PlannedRewrite | undefined> {
    const { pause } = createSearchBudget({ clock, deadlineMs: Number.POSITIVE_INFINITY })
    const seen = await readWhole(vault.layout.root, path, maxNoteBytes).catch(noFile)
    const text = seen && noteTextOf(path, seen.bytes)
    if (!seen || text === undefined) return undefined
    const links = await runNoteJob({ job: 'linkPlaces', input: { text }, cost: costOfNote(text) })
    const result = await rewriteLinks(world, { path, text, links }, pause)
    if (!result) return undefined

    const after = await runNoteJob({ job: 'linkPlaces', input: { text: result.text }, cost: costOfNote(result.text) })
    await checkLinks(world, { path, before: links, after }, pause)
    const content = Buffer.from(result.text)
    if (content.length > maxNoteBytes) throw fail('payload_too_large', { path, maxBytes: maxNoteBytes })
    const { stamp, mode } = seen
    return { path, stamp, mode, content, baseline: baselineOf(content), changes: result.changes }
  }

  /** The notes with links that would mean something else after the move. */
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
      for (const link of linksIn(record))
        if (isDivertedBy(world, link, path)) {
          yield path
          break
        }
    }
  }

  return async ({ vault, source, to, links: wanted }, take) => {
    const moved = movedFiles(vault, source, to)
    if (source.kind === 'folder') {
      const settings = await rewriteSettings(vault, { from: source.path, to })
      if (settings) await take(settings)
    }
    if (wanted === 'left') return { moved, isCurrent: async () => true }

    const links = await wholeLinks(linksOf(vault))
    const version = links.changes()
    const world = { before: links.names, after: namesAfter(links.names, moved), moved }
    for await (const path of divertedNotes(links, world)) {
      const rewrite = await rewriteNote(vault, world, path)
      if (rewrite) await take(rewrite)
    }
    return {
      moved,
      async isCurrent() {
        const now = await wholeLinks(linksOf(vault))
        return now === links && now.changes() === version
      },
    }
  }
}

/** A link that has not been read yet would be lost. */
async function wholeLinks(links: Pick<VaultLinks, 'use'>): Promise<OpenLinks> {
  for (let waits = 0; waits < WAITS; waits++) {
    const { links: open, isComplete } = await links.use()
    if (isComplete) return open
  }
  throw fail('too_many_requests', { reason: 'The links of the vault are still being read.' })
}

async function rewriteSettings(vault: Vault, move: { from: string; to: string }): Promise<PlannedRewrite | undefined> {
  const seen = await readWhole(vault.layout.root, FOLDERS_FILE, MAX_SETTINGS).catch((error: unknown) => {
    // What is no settings file is left alone, as it is when it is read.
    if (isFailure(error, 'not_found') || isFailure(error, 'payload_too_large')) return undefined
    throw error
  })
  const text = seen && decodeNote(seen.bytes)
  const moved = text === undefined ? undefined : movedSettings(text, move)
  if (!seen || moved === undefined) return undefined
  const content = Buffer.from(moved)
  return { path: FOLDERS_FILE, stamp: seen.stamp, mode: seen.mode, content, baseline: baselineOf(content), changes: [] }
}

function noFile(error: unknown): undefined {
  if (!isFailure(error, 'not_found')) throw error
}
