import type { FastifyInstance } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon-status.ts'
import { attachmentsRoutes } from './attachments/attachments.routes.ts'
import { deleteAttachment } from './attachments/delete-attachment.ts'
import { writeAttachment } from './attachments/write-attachment.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import type { VerifyAssertion } from './entry/caller.ts'
import { eventsRoutes } from './events/events.routes.ts'
import { followChanges } from './events/follow-changes.ts'
import type { Disk } from './files/disk.ts'
import { followHistory } from './history/follow-history.ts'
import { historyRoutes } from './history/history.routes.ts'
import { readHistory } from './history/read-history.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { httpServer } from './http/http-server.ts'
import { openapi } from './http/openapi.ts'
import { staticUi } from './http/static-ui.ts'
import { countRequests } from './metrics/metrics.routes.ts'
import { describeFile } from './notes/describe-file.ts'
import { deleteNote } from './notes/delete-note.ts'
import { editNote } from './notes/edit-note.ts'
import { mcpRoutes } from './mcp/mcp.routes.ts'
import { notesRoutes } from './notes/notes.routes.ts'
import { readNote } from './notes/read-note.ts'
import { recentVersions } from './notes/recent-versions.ts'
import { saveNote } from './notes/save-note.ts'
import { writeNote } from './notes/write-note.ts'
import { followIndex } from './search/follow-index.ts'
import { searchNotes } from './search/search-notes.ts'
import { segmentBuilds } from './search/segment-builds.ts'
import { searchRoutes } from './search/search.routes.ts'
import { healthRoutes } from './status/health.routes.ts'
import type { RelayState } from './status/relay-state.ts'
import { opsRoutes } from './storage/ops.routes.ts'
import { homeUsage } from './storage/storage-usage.ts'
import { moveToTrash } from './trash/move-to-trash.ts'
import { trashRoutes } from './trash/trash.routes.ts'
import { trash } from './trash/trash.ts'
import { vaultInfo } from './vaults/vault-info.ts'
import { parsingPool } from './parsing/parsing-pool.ts'
import { runNoteJob } from './parsing/run-note-job.ts'
import { openVaultRegistry, type VaultRegistry } from './vaults/vault-registry.ts'
import { vaultsRoutes } from './vaults/vaults.routes.ts'

/** What the app needs to know of the configuration. */
export type DaemonAppConfig = {
  allowedHosts: readonly string[]
  maxNoteBytes: number
  maxAttachmentBytes: number
  reservedBytes: number
  searchDeadlineMs: number
  searchPath: string
  version: string
}

type Deps = {
  config: DaemonAppConfig
  layout: HomeLayout
  log: Log
  clock: Clock
  disk: Disk
  verifyAssertion: VerifyAssertion
  relayStatus: () => RelayState
}

/** The daemon without its listeners. `status` is content-free; `flush` makes every accepted change durable. */
export type DaemonApp = {
  app: FastifyInstance
  registry: VaultRegistry
  status(): Promise<Omit<DaemonStatus, 'relay'>>
  flush(): Promise<number>
  close(): Promise<void>
}

const SMALL_BODY = 256 * 1024
// Requests that are being answered get this long to end.
const CLOSE_MS = 3000
// Texts that an edit on an old baseline may still be judged by.
const REMEMBERED_CHARACTERS = 16 * 1024 * 1024
// A 10 MB note takes about 2 s on a slow machine; the thread costs memory, so it ends when it has been idle.
const PARSING = { deadlineMs: 10_000, idleMs: 10_000, maxHeapMb: 1024 }
// Counting walks the hidden folders of every vault, and status is asked every few seconds.
const USAGE_KEPT_MS = 30_000

/** Opens the vaults of a home and mounts every route. The server is ready for connections, but does not listen. */
export async function createDaemonApp({
  config,
  layout,
  log,
  clock,
  disk,
  verifyAssertion,
  relayStatus,
}: Deps): Promise<DaemonApp> {
  const { maxNoteBytes, maxAttachmentBytes, reservedBytes, searchDeadlineMs, searchPath, allowedHosts, version } =
    config
  const parsing = parsingPool(PARSING)
  const noteJobs = runNoteJob(parsing)
  const describe = describeFile({ runNoteJob: noteJobs })
  const history = followHistory({ folder: layout.history, searchPath, maxNoteBytes, clock, log })
  const builds = segmentBuilds({ maxNoteBytes })
  const index = followIndex({ folder: layout.index, builds, describeFile: describe, maxNoteBytes, clock, log })
  const changes = followChanges()
  const follow = [index.follow, history.follow, changes.follow]
  const parts = { disk, reservedBytes, maxNoteBytes, describeFile: describe, memoryOf: index.of, follow }
  const registry = await openVaultRegistry({ layout, parts, clock, log })

  const versions = recentVersions({ maxCharacters: REMEMBERED_CHARACTERS })
  const reader = readNote({ versions, maxNoteBytes, runNoteJob: noteJobs })
  const writer = writeNote({ versions, maxNoteBytes })
  const saver = saveNote({ writeNote: writer })
  const editor = editNote({ writeNote: writer, versions, maxNoteBytes, runNoteJob: noteJobs })
  const toTrash = moveToTrash({ clock })
  const remover = deleteNote({ moveToTrash: toTrash, historyOf: history.of, versions, maxNoteBytes })
  const searcher = searchNotes({ indexOf: index.of, clock, deadlineMs: searchDeadlineMs, maxNoteBytes })
  const describeVault = vaultInfo({ indexOf: index.of, historyOf: history.of })
  const verbs = {
    registry,
    readNote: reader,
    saveNote: saver,
    editNote: editor,
    deleteNote: remover,
    searchNotes: searcher,
    vaultInfo: describeVault,
    runNoteJob: noteJobs,
  }
  const maxBodyBytes = maxNoteBytes + SMALL_BODY

  const { app, useUi } = httpServer({ log, allowedHosts, verifyAssertion, maxBodyBytes: SMALL_BODY })
  await openapi(app, { version })
  countRequests(app, { registry })
  await app.register(healthRoutes({ layout, isReady: registry.isReady, relayStatus }))
  await app.register(vaultsRoutes({ registry, vaultInfo: describeVault }))
  await app.register(notesRoutes({ ...verbs, maxBodyBytes }))
  await app.register(
    attachmentsRoutes({
      registry,
      writeAttachment: writeAttachment({ maxBytes: maxAttachmentBytes }),
      deleteAttachment: deleteAttachment({ moveToTrash: toTrash }),
      maxBytes: maxAttachmentBytes,
    }),
  )
  await app.register(searchRoutes(verbs))
  await app.register(opsRoutes({ registry, layout, clock }))
  await app.register(trashRoutes({ registry, trash: trash({ historyOf: history.of }) }))
  await app.register(auditRoutes({ registry }))
  await app.register(historyRoutes({ ...verbs, historyOf: history.of, readHistory: readHistory({ searchPath }) }))
  await app.register(eventsRoutes({ registry, changesOf: changes.of }))
  await app.register(mcpRoutes({ ...verbs, version, clock, log, maxBodyBytes }))
  useUi(await staticUi(app))
  await app.ready()

  let usage: { at: number; storage: DaemonStatus['storage'] } | undefined
  const storage = async () => {
    if (usage && clock.monotonic() - usage.at < USAGE_KEPT_MS) return usage.storage
    const { usedBytes, freeBytes } = await homeUsage(registry.list(), layout)
    usage = { at: clock.monotonic(), storage: { usedBytes, freeBytes } }
    return usage.storage
  }

  return {
    app,
    registry,
    async status() {
      // Every acknowledged change is durable, so that holds up to now.
      const durableAsOf = clock.now().toISOString()
      return { version, ready: registry.isReady(), storage: await storage(), durableAsOf }
    },
    flush: () => registry.flush(),
    async close() {
      const patience = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS)
      await app.close()
      clearTimeout(patience)
      await registry.close()
      await parsing.close()
    },
  }
}
