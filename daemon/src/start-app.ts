import type { Server } from 'node:http'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { LoadedApp } from './app.ts'
import type { RestartDeps } from './compose-backups.ts'
import type { VerifyAssertion } from './entry/caller.ts'
import { followChanges } from './events/follow-changes.ts'
import { createOpenStreams } from './events/open-streams.ts'
import { systemDisk, type Disks } from './files/disk/disk.ts'
import { createFileRoot } from './files/file-root.ts'
import { followHistory } from './history/follow-history.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { createActivity, type Activity } from './http/activity.ts'
import { importApp } from './start-routes.ts'
import { followLinks } from './links/follow-links.ts'
import { followLive } from './live/follow-live.ts'
import { createLinksReader } from './links/links-reader.ts'
import { followNews } from './news/follow-news.ts'
import { createDescribeFile } from './notes/describe-file.ts'
import { createRecentVersions } from './notes/recent-versions.ts'
import { createWriteNote } from './notes/write-note.ts'
import { parsingHeapMb } from './note-jobs/parsing-memory.ts'
import { createParsingPool } from './note-jobs/parsing-pool.ts'
import { createRunNoteJob } from './note-jobs/run-note-job.ts'
import { followIndex } from './search/follow-index.ts'
import type { Walks } from './search/walk/walk-process.ts'
import { createSegmentBuilds } from './search/segment/segment-builds.ts'
import type { Door } from './status/open-door.ts'
import type { RelayState } from './status/relay-state.ts'
import { tellReading } from './status/tell-reading.ts'
import { homeUsage } from './storage/storage-usage.ts'
import { watchMode, type WatchSetting } from './watch/watch-mode.ts'
import { openVaultRegistry, type VaultRegistry } from './vaults/vault-registry.ts'

/** What the app needs to know of the configuration. */
export type DaemonAppConfig = {
  allowedHosts: readonly string[]
  maxNoteBytes: number
  maxAttachmentBytes: number
  maxImportBytes: number
  reservedBytes: number
  searchDeadlineMs: number
  maxVaults: number
  searchPath: string
  watch: WatchSetting
  version: string
}

type Deps = RestartDeps & {
  config: DaemonAppConfig
  layout: HomeLayout
  log: Log
  clock: Clock
  disks: Disks
  walks: Walks
  verifyAssertion: VerifyAssertion
  relayStatus: () => RelayState
  /** Called before work that takes much of the processor. */
  expectWork?: () => void
  /** Called after a child process that worked for the daemon has ended. */
  afterWork?: () => void
  /** Responds to health requests while the vaults are opened; any other request waits. */
  door: Door
}

/** The daemon without its listeners. `status` is content-free; `flush` makes every accepted change durable. */
export type DaemonApp = {
  server: Server
  registry: VaultRegistry
  status(): Promise<Omit<DaemonStatus, 'relay'>>
  /** What keeps a hosted daemon awake. */
  activity: Activity
  flush(): Promise<number>
  /** Begins a stop: ends the event streams, which would delay it, and work that the next start does again. */
  stopping(): void
  close(): Promise<void>
}

// The time for open requests to finish after a stop has begun.
const CLOSE_MS = 3000
// A 10 MB note takes about 2 s of work on a slow machine; the thread costs memory, so it ends when it has been idle.
const PARSING = { deadlineMs: 10_000, idleMs: 10_000 }
// Memory for past texts, which edits of older baselines need.
const REMEMBERED_CHARACTERS = 16 * 1024 * 1024
// Counting walks the hidden folders of every vault, and the status is read every few seconds.
const USAGE_KEPT_MS = 30_000

/**
 * Opens the vaults of a home. The routes are loaded when the door first needs them, so an unused daemon stays small and
 * starts sooner.
 */
export async function createDaemonApp(deps: Deps): Promise<DaemonApp> {
  const { config, layout, door, log, clock, disks, walks } = deps
  const { maxNoteBytes, maxVaults, reservedBytes, searchDeadlineMs, searchPath } = config
  const parsing = createParsingPool({ ...PARSING, maxHeapMb: parsingHeapMb(process.constrainedMemory()) })
  const noteJobs = createRunNoteJob(parsing)
  const describe = createDescribeFile({ runNoteJob: noteJobs })
  // Changes that were accepted before, and deletions, are still recorded while notes are refused.
  const { makeRoom } = createFileRoot({ path: layout.history, disk: systemDisk, reservedBytes: reservedBytes / 2 })
  const history = followHistory({ folder: layout.history, searchPath, makeRoom, maxNoteBytes, clock, log })
  const builds = createSegmentBuilds({ maxNoteBytes, onIdle: deps.afterWork })
  const index = followIndex({ folder: layout.index, builds, walks, describeFile: describe, maxNoteBytes, clock, log })
  const links = followLinks({
    folder: layout.index,
    reader: createLinksReader({ maxNoteBytes }),
    runNoteJob: noteJobs,
    describeFile: describe,
    maxNoteBytes,
    deadlineMs: searchDeadlineMs,
    clock,
    log,
  })
  const changes = followChanges()
  const isLocal = (await watchMode(config.watch, layout.daemon)) === 'watch'
  const ownDisk = { disk: isLocal ? disks.local : disks.any, isLocal }
  const news = followNews({ folder: layout.news, disk: ownDisk.disk, clock, log })
  const versions = createRecentVersions({ maxCharacters: REMEMBERED_CHARACTERS })
  const writer = createWriteNote({ versions, maxNoteBytes })
  const disk = disks.any
  const live = followLive({ folder: layout.live, writeNote: writer.inQueue, maxNoteBytes, disk, clock, log })
  const streams = createOpenStreams()
  const activity = createActivity(clock)
  const follow = [index.follow, links.follow, history.follow, changes.follow, news.follow, live.follow]
  const parts = {
    disks,
    ownDisk,
    reservedBytes,
    maxNoteBytes,
    describeFile: describe,
    memoryOf: index.of,
    liveOf: live.of,
    follow,
    watch: config.watch,
  }
  const { server } = door
  const stopped = new AbortController()
  const registry = await openVaultRegistry({ layout, parts, maxVaults, clock, log }).catch((error: unknown) => {
    server.close()
    server.closeAllConnections()
    throw error
  })
  door.opened(registry)
  void tellReading({ vaults: registry.list(), clock, log, signal: stopped.signal })

  let app: LoadedApp | undefined
  door.serve(async () => {
    const { loadApp } = await importApp()
    app = await loadApp({
      ...deps,
      disk,
      server,
      registry,
      history,
      index,
      links,
      changes,
      news,
      noteJobs,
      streams,
      activity,
      versions,
      writeNote: writer.write,
      live,
    })
    return app
  })

  let stoppingSince: number | undefined
  let usage: { at: number; storage: DaemonStatus['storage'] } | undefined
  const storage = async () => {
    if (usage && clock.monotonic() - usage.at < USAGE_KEPT_MS) return usage.storage
    const { usedBytes, freeBytes } = await homeUsage(registry.list(), layout)
    // The reserve does not count as free: a volume with only the reserve left accepts no more text, so the operator
    // must grow it.
    usage = { at: clock.monotonic(), storage: { usedBytes, freeBytes: Math.max(0, freeBytes - reservedBytes) } }
    return usage.storage
  }

  return {
    server,
    registry,
    async status() {
      // Every acknowledged change is durable, so this is the present time.
      const durableAsOf = clock.now().toISOString()
      return { version: config.version, ready: registry.isReady(), storage: await storage(), durableAsOf }
    },
    activity,
    flush: () => registry.flush(),
    stopping() {
      stoppingSince ??= clock.monotonic()
      stopped.abort()
      streams.endAll()
      registry.stopping()
    },
    async close() {
      const left = (stoppingSince ?? clock.monotonic()) + CLOSE_MS - clock.monotonic()
      const patience = setTimeout(() => server.closeAllConnections(), left)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      stopped.abort()
      await app?.close()
      server.closeIdleConnections()
      await closed
      clearTimeout(patience)
      await registry.close()
      await parsing.close()
    },
  }
}
