import { watch } from 'node:fs'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { MountedFolders } from '../files/mounted-folders.ts'
import { createAwayFolders } from './away-folders.ts'
import { listFirst, type Walk } from './first-listing.ts'
import { createFolderHints, type Hints } from './folder-hints.ts'
import { createFolderWatches } from './folder-watches.ts'
import { beginListing, beginRemoteListing, folderStampAt, listFolder, listRemoteFolder } from './list-folder.ts'
import type { Manifest } from './manifest.ts'
import { createDoubt } from './missing/mass-disappearance.ts'
import { createMissingFiles } from './missing/missing-files.ts'
import { storedNamesIn, type StoredNames } from './missing/stored-names.ts'
import { slices } from './slices.ts'
import { createSweepTimer } from './sweep-timer.ts'
import { sweepHinted } from './sweep-hinted.ts'
import { mayRename, sweepVault, type Differences } from './sweep.ts'
import { createTimers } from './timers.ts'
import { createUnreadFolders, type UnreadFoldersOptions } from './unread/unread-folders.ts'
import type { WatchMode } from './watch-mode.ts'

/**
 * Reads one path again and updates what is known of it. Reads run one at a time. `stored`: a listing did not show the
 * path, so a file that a lookup still finds is there only if it is stored there.
 */
export type Recheck = (path: string, stored?: StoredNames) => Promise<void>

/** `onUnlisted`: the vault itself could not be listed; it is tried again. */
type FirstLook = { walk?: Walk; onListed?(names: Iterable<string>): void; onUnlisted?(error: unknown): void }

/** Keeps what is known of a vault in sync with its disk. */
export type VaultWatch = {
  /** First listing of the vault: watches the folders and registers the files without reading them. */
  start(first?: FirstLook): Promise<void>
  /** The folders that could not be read at some time. */
  unreadable(): string[]
  /** The folders that cannot be read now. */
  unread(): string[]
  /** The folders whose disk is away. */
  away(): readonly string[]
  /** Compares everything with the disk now. */
  sweep(): Promise<void>
  /** Publishes a folder that the daemon created. */
  addFolder(path: string, by: Actor | undefined): void
  /** Publishes a folder that the daemon removed, after its content. */
  removeFolder(path: string, by: Actor | undefined): void
  close(): Promise<void>
}

type Options = Pick<UnreadFoldersOptions, 'onUnread'> & {
  root: string
  manifest: Manifest
  mounted: MountedFolders
  recheck: Recheck
  /** A folder was created or removed, by the daemon or by another program. Called before a new folder is read. */
  onFolder(path: string, kind: 'folder_created' | 'folder_deleted', by: Actor | undefined): void
  /** Runs a function that rechecks both the new and the old paths of files that may have been moved. */
  withRenames(run: () => Promise<void>): Promise<void>
  /** Runs a function while the daemon moves and removes no folder: until that is published, its files look missing. */
  undisturbed<T>(run: () => Promise<T>): Promise<T>
  /** True while the vault at the root is provably the one that was opened. */
  isPresent(): Promise<boolean>
  mode: WatchMode
  clock: Pick<Clock, 'monotonic'>
  log: Log
  beginWatch?: typeof watch
  timing?: { hintMs: number; sweepMs: number; pollMs: number; confirmMs: number }
}

const TIMING = { hintMs: 40, sweepMs: 180_000, pollMs: 5000, confirmMs: 5000 }

/** Watches a vault. Events only say where to look; the listing decides. A polled disk is treated as remote. */
export function createVaultWatch({
  root,
  manifest,
  mounted,
  recheck,
  onFolder,
  onUnread,
  withRenames,
  undisturbed,
  isPresent,
  mode,
  clock,
  log,
  beginWatch = watch,
  timing = TIMING,
}: Options): VaultWatch {
  // A disk without change events is a remote one.
  const [listAny, begin] = mode === 'poll' ? [listRemoteFolder, beginRemoteListing] : [listFolder, beginListing]
  const closing = new AbortController()
  const unwatched = new Set<string>()
  const { later, clear } = createTimers()
  let work = Promise.resolve()
  let diskTimer: NodeJS.Timeout | undefined
  let polling = mode !== 'watch'

  const hint = createFolderHints({
    later,
    hintMs: timing.hintMs,
    look: (hints, isBurst) => compare(() => (isBurst ? sweepAll() : lookAt(hints))),
  })
  const unread = createUnreadFolders({ look: hint, onUnread, later, signal: closing.signal, log })
  const list = unread.noting(listAny)

  function watchFolder(folder: string): void {
    if (watches.add(folder)) unwatched.delete(folder)
    else unwatched.add(folder)
  }

  /** Also watches a folder that has taken the place of the watched one; returns true for such a folder. */
  function watchAgain(folder: string): boolean {
    const isReplaced = watches.isReplaced(folder)
    if (isReplaced) watches.remove(folder)
    watchFolder(folder)
    return isReplaced
  }

  const watches = createFolderWatches({
    root,
    begin: beginWatch,
    onHint: hint,
    onTrouble(error) {
      if (closing.signal.aborted || polling) return
      polling = true
      log.warn({ err: error }, 'the folders of a vault cannot all be watched; it is polled for changes instead')
      // Not in the call that failed: other calls for the same folder may still be running.
      later(0, async () => {
        watches.close()
        sweeps.setMode('poll')
      })
    },
  })
  if (mode !== 'watch') watches.close()

  const away = createAwayFolders({ root, manifest, mounted, watches, hint: (folder) => hint(folder), log })
  const compared = { root, manifest, list, away, watch: watchAgain, onUnreadable: unread.failed }
  const sweepAll = (onBegin?: () => void) => {
    onBegin?.()
    return sweepVault(compared, slices(closing.signal))
  }
  const lookAt = (hints: Hints) =>
    sweepHinted({ compared, watches, unwatched, mounted, mode }, hints, slices(closing.signal))
  const doubt = createDoubt({ later, timing, decide: (onBegin) => compare(() => sweepAll(onBegin)), log })
  const missing = createMissingFiles({ manifest, doubt })

  /** Runs sweeps one after the other: two at once would both find the same folder new. */
  function compare(find: () => Promise<Differences>): Promise<void> {
    work = work.then(async () => {
      if (closing.signal.aborted) return
      try {
        const found = await find()
        await (mayRename(found) ? withRenames(() => apply(found)) : apply(found))
      } catch (error) {
        if (!closing.signal.aborted)
          log.warn({ err: error }, 'a folder could not be listed; nothing is taken for deleted')
      }
      lookForDisks()
    })
    return work
  }

  /** No event reports reliably that a disk was mounted or unmounted. */
  function lookForDisks(): void {
    if (mode === 'off' || mounted.all().length === 0) return
    diskTimer ??= later(timing.confirmMs, async () => {
      diskTimer = undefined
      const folders = await away.toLookAt()
      await compare(() => lookAt(new Map(folders.map((folder) => [folder, 'all']))))
    })
  }

  async function apply({ newFolders, goneFolders, changed, gone }: Differences): Promise<void> {
    const pause = slices(closing.signal)
    for (const path of newFolders) {
      addFolder(path, undefined)
      // Look again: a change between the listing and the watch would go unnoticed.
      hint(path)
      await pause()
    }
    const arrived = await missing.newAmong(changed, pause)
    await recheckAll(changed)
    const judge = () => missing.judge({ gone, arrived, pause })
    const { leaving, isHeld, isOdd } = await (gone.length > 0 ? undisturbed(judge) : judge())
    const isThere = async () => (isOdd ? isPresent() : (await folderStampAt(root)) !== undefined)
    if (leaving.length > 0 && !(await isThere())) {
      log.warn({ missing: leaving.length }, 'the vault is not at its place; what is known of it is kept')
      later(timing.confirmMs, sweep)
      return
    }
    await recheckAll(leaving, storedNamesIn(root))
    if (isHeld) return
    for (const path of goneFolders.toReversed()) {
      removeFolder(path, undefined)
      await pause()
    }
  }

  /** Stops when the vault is closed: the next start finds what is left. */
  async function recheckAll(paths: Iterable<string>, stored?: StoredNames): Promise<void> {
    for (const path of paths) {
      closing.signal.throwIfAborted()
      await recheck(path, stored)
    }
  }

  function addFolder(path: string, by: Actor | undefined): void {
    watchFolder(path)
    if (!manifest.hasFolder(path)) onFolder(path, 'folder_created', by)
  }

  function removeFolder(path: string, by: Actor | undefined): void {
    if (!manifest.hasFolder(path) || !manifest.isEmpty(path)) return
    watches.remove(path)
    unwatched.delete(path)
    unread.gone(path)
    away.removed(path)
    onFolder(path, 'folder_deleted', by)
  }

  const sweep = () => compare(sweepAll)
  const sweeps = createSweepTimer({ mode, sweep, clock, timing })
  return {
    async start({ walk, onListed, onUnlisted = () => {} } = {}) {
      const plain = mode === 'watch' && mounted.all().length === 0 ? walk : undefined
      const parts = { ...compared, watch: watchFolder, watches, begin, hint, onUnlisted, signal: closing.signal, log }
      const listing = listFirst({ ...parts, walk: plain, ...(onListed && { onListed }) }, slices(closing.signal))
      // Changes that come meanwhile are compared only after the listing.
      work = listing.catch(() => {})
      await listing
      lookForDisks()
    },
    unreadable: unread.ever,
    unread: unread.now,
    away: away.all,
    sweep,
    addFolder,
    removeFolder,
    async close() {
      closing.abort(fail('vault_closing'))
      sweeps.stop()
      clear()
      watches.close()
      await work
    },
  }
}
