import type { Clock } from '@svc/shared/kit/clock.ts'
import { endsWithin } from '@svc/shared/kit/within.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import { createSearchBudget, OutOfBudget } from '../search/search-budget.ts'
import type { Pause } from '../watch/slices.ts'
import type { OpenLinks } from './link-index.ts'

/** Runs work until its deadline; true when it ended before. */
export async function inTime(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof OutOfBudget || error instanceof ParsingStopped) return false
    throw error
  }
}

/** Collects what is found until the deadline, `most` at most; true when the deadline was kept. */
export const collectInTime = <Item>(into: Item[], find: () => AsyncIterable<Item>, most = Infinity): Promise<boolean> =>
  inTime(async () => {
    for await (const item of find()) if (into.push(item) >= most) return
  })

/** `isWhole` once all links were looked at; `wantedUntil`: when the last request stops waiting. */
type Scan<Found> = {
  found: Found
  changes: number
  isComplete: boolean
  isWhole: boolean
  wantedUntil: number
  ended: Promise<void>
}

type Deps<Found> = { clock: Clock; deadlineMs: number; begin: () => Found }
type Looking<Found> = { links: OpenLinks; isComplete: boolean; look(found: Found, pause: Pause): Promise<void> }

/**
 * Looks at all links of a vault, which may take longer than any request waits. The work goes on after the deadline, for
 * the next request, and its result is kept until a change. When the links change meanwhile, it ends with the last
 * request that waits for it.
 */
export function createScans<Found>({ clock, deadlineMs, begin }: Deps<Found>) {
  const scans = new WeakMap<OpenLinks, Scan<Found>>()

  function start({ links, isComplete, look }: Looking<Found>): Scan<Found> {
    const changes = links.changes()
    const wantedUntil = clock.monotonic() + deadlineMs
    const scan = { found: begin(), changes, isComplete, isWhole: false, wantedUntil, ended: Promise.resolve() }
    const budget = createSearchBudget({ clock, deadlineMs: Number.POSITIVE_INFINITY, signal: links.closing })
    const pause = () => {
      if (links.changes() !== changes && clock.monotonic() > scan.wantedUntil) throw new OutOfBudget()
      return budget.pause()
    }
    const looking = async () => {
      const isWhole = await inTime(() => look(scan.found, pause))
      if (isWhole) scan.isWhole = true
      // What was stopped, or has not seen all notes, is of no use to the next request.
      if ((!isWhole || !isComplete) && scans.get(links) === scan) scans.delete(links)
    }
    scans.set(links, scan)
    scan.ended = looking()
    scan.ended.catch(() => {
      if (scans.get(links) === scan) scans.delete(links)
    })
    return scan
  }

  /** Resolves with what is found at the end of the work, or at the deadline. */
  return async (looking: Looking<Found>): Promise<{ found: Found; isWhole: boolean }> => {
    const { links, isComplete } = looking
    const known = scans.get(links)
    const isPresent = known?.changes === links.changes() && known.isComplete === isComplete
    const scan = known && isPresent ? known : start(looking)
    scan.wantedUntil = clock.monotonic() + deadlineMs
    if (!scan.isWhole) await endsWithin(scan.ended, { clock, ms: deadlineMs })
    return { found: scan.found, isWhole: scan.isWhole }
  }
}
