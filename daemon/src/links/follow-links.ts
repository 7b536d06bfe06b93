import { endsWithin } from '@svc/shared/kit/within.ts'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { DescribeFile } from '../notes/describe-file.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { perVault, type PerVault, type VaultFollower } from '../vaults/vault-change.ts'
import { createLinkIndex, type OpenLinks } from './link-index.ts'
import type { LinksReader } from './links-reader.ts'

/** The links of one vault, in memory only while somebody uses them. */
export type VaultLinks = {
  /** The present links. Past the deadline, `withinMs` if given, those read so far: not `isComplete`. */
  use(withinMs?: number): Promise<{ links: OpenLinks; isComplete: boolean }>
}

type Options = {
  /** Where the links of all vaults are kept, each in a folder of its own. */
  folder: string
  reader: LinksReader
  runNoteJob: RunNoteJob
  describeFile: DescribeFile
  maxNoteBytes: number
  deadlineMs: number
  clock: Clock
  log: Log
  timing?: typeof TIMING
}

const TIMING = { lookMs: 10_000, restMs: 120_000 }
// Changed records are kept in memory one by one; above this many, reading the vault again is better.
const MOST_CHANGED = 5000

type Held = { links: OpenLinks; filled: Promise<void>; isFilled: boolean }

/** Keeps the links of every vault. */
export function followLinks({
  folder,
  reader,
  runNoteJob,
  describeFile,
  maxNoteBytes,
  deadlineMs,
  clock,
  log,
  timing = TIMING,
}: Options): PerVault<VaultLinks & VaultFollower> {
  return perVault(({ id, root, manifest }) => {
    const file = join(folder, id, 'links')
    const found = Promise.withResolvers<void>()
    let lastUse = clock.monotonic()
    let held: Held | undefined
    const closing = new AbortController()

    function hold(): Held {
      const links = createLinkIndex({
        root,
        file,
        manifest,
        reader,
        runNoteJob,
        describeFile,
        maxNoteBytes,
        clock,
        log: log.child({ vault: id }),
        signal: closing.signal,
      })
      const started: Held = { links, filled: Promise.resolve(), isFilled: false }
      started.filled = found.promise
        .then(() => links.fill())
        .then(() => {
          started.isFilled = true
        })
        .catch((error: unknown) => {
          if (!closing.signal.aborted) log.error({ err: error, vault: id }, 'the links of a vault cannot be read')
          if (held === started) held = undefined
        })
      return started
    }

    /** Drops links that nobody has used for a while. */
    function look(): void {
      if (!held?.isFilled) return
      if (clock.monotonic() - lastUse > timing.restMs || held.links.records.changed > MOST_CHANGED) held = undefined
    }
    const looking = setInterval(look, timing.lookMs)
    looking.unref()

    return {
      async use(withinMs = deadlineMs) {
        lastUse = clock.monotonic()
        const { links, filled } = (held ??= hold())
        const complete = filled.then(() => links.whenParsed())
        return { links, isComplete: await endsWithin(complete, { clock, ms: withinMs }) }
      },
      changed(change) {
        if (
          !held ||
          change.kind === 'folder_created' ||
          change.kind === 'folder_deleted' ||
          change.kind === 'folder_moved'
        )
          return
        if (change.kind === 'deleted') held.links.remove(change.path)
        else if (change.kind !== 'touched') held.links.put(change.path, change.content)
      },
      caughtUp: () => found.resolve(),
      async close() {
        clearInterval(looking)
        closing.abort()
        found.resolve()
        await held?.filled
        held = undefined
      },
    }
  })
}
