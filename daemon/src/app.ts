// Every route and what it needs is composed here, in one place: the file grows with the routes.
import type { Server } from 'node:http'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { archivesRoutes } from './archives/archives.routes.ts'
import { createExportVault } from './archives/export-vault.ts'
import { createImportVault } from './archives/import-vault.ts'
import { attachmentsRoutes } from './attachments/attachments.routes.ts'
import { createDeleteAttachment } from './attachments/delete-attachment.ts'
import { createWriteAttachment } from './attachments/write-attachment.ts'
import { authorsRoutes } from './authors/authors.routes.ts'
import { createCommittedAuthors } from './authors/committed-authors.ts'
import { createNoteAuthors } from './authors/note-authors.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { eventsRoutes } from './events/events.routes.ts'
import { createDeleteFolder } from './folders/delete-folder.ts'
import { foldersRoutes } from './folders/folders.routes.ts'
import { openHistory } from './history/history-reader.ts'
import { historyRoutes } from './history/history.routes.ts'
import { createVaultCommits } from './history/vault-commits.ts'
import { createNoteTexts } from './history/note-texts.ts'
import { readHistory } from './history/read-history.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { countActivity, type Activity } from './http/activity.ts'
import { createHttpServer } from './http/http-server.ts'
import { openapi } from './http/openapi.ts'
import { createStaticUi } from './http/static-ui.ts'
import { createLinkQuestions } from './links/link-questions.ts'
import { linksRoutes } from './links/links.routes.ts'
import { countRequests } from './metrics/metrics.routes.ts'
import { createDescribeFile } from './notes/describe-file.ts'
import { createDeleteNote } from './notes/delete-note.ts'
import { createEditNote } from './notes/edit-note.ts'
import { agentRoutes } from './mcp/agent.routes.ts'
import { mcpRoutes } from './mcp/mcp.routes.ts'
import { toolTable } from './mcp/tool-table.ts'
import { createMoveInVault } from './moves/move-in-vault.ts'
import { movesRoutes } from './moves/moves.routes.ts'
import { createPlanMove } from './moves/move-plan.ts'
import { createPrepareMove } from './moves/prepare-move.ts'
import { notesRoutes } from './notes/notes.routes.ts'
import { createNoteTree } from './notes/note-tree.ts'
import { createReadNote } from './notes/read-note.ts'
import type { RecentVersions } from './notes/recent-versions.ts'
import { createSaveNote } from './notes/save-note.ts'
import { personRoutes } from './person/person.routes.ts'
import { storedPreferences } from './person/preferences.ts'
import type { WriteNote } from './notes/write-note.ts'
import type { LiveOfVaults } from './live/follow-live.ts'
import { liveRoutes, webSockets } from './live/live.routes.ts'
import { createPrepareRevert } from './reverts/prepare-revert.ts'
import { createRevertChanges } from './reverts/revert-changes.ts'
import { revertsRoutes } from './reverts/reverts.routes.ts'
import { createSearchNotes } from './search/search-notes.ts'
import { searchRoutes } from './search/search.routes.ts'
import { healthRoutes } from './status/health.routes.ts'
import type { RelayState } from './status/relay-state.ts'
import { opsRoutes } from './storage/ops.routes.ts'
import { createMoveToTrash } from './trash/move-to-trash.ts'
import { trashRoutes } from './trash/trash.routes.ts'
import { createTrash } from './trash/trash.ts'
import { createVaultInfo } from './storage/vault-info.ts'
import { vaultsRoutes } from './vaults/vaults.routes.ts'
import type { VerifyAssertion } from './entry/caller.ts'
import type { followChanges } from './events/follow-changes.ts'
import type { OpenStreams } from './events/open-streams.ts'
import type { Disk } from './files/disk.ts'
import { createFileRoot } from './files/file-root.ts'
import type { followHistory } from './history/follow-history.ts'
import type { Handle, Upgrade } from './http/front-door.ts'
import type { followLinks } from './links/follow-links.ts'
import type { RunNoteJob } from './note-jobs/run-note-job.ts'
import type { followIndex } from './search/follow-index.ts'
import type { VaultRegistry } from './vaults/vault-registry.ts'

type Deps = {
  config: {
    allowedHosts: readonly string[]
    maxNoteBytes: number
    maxAttachmentBytes: number
    maxImportBytes: number
    reservedBytes: number
    searchDeadlineMs: number
    searchPath: string
    version: string
  }
  layout: HomeLayout
  disk: Disk
  log: Log
  clock: Clock
  verifyAssertion: VerifyAssertion
  relayStatus: () => RelayState
  server: Server
  registry: VaultRegistry
  history: ReturnType<typeof followHistory>
  index: ReturnType<typeof followIndex>
  links: ReturnType<typeof followLinks>
  changes: ReturnType<typeof followChanges>
  noteJobs: RunNoteJob
  streams: OpenStreams
  activity: Activity
  versions: RecentVersions
  writeNote: WriteNote
  live: LiveOfVaults
}

/** All routes, ready for requests. `close` ends streams that are open; requests under way may end. */
export type LoadedApp = { handle: Handle; upgrade: Upgrade; close(): Promise<void> }

const SMALL_BODY = 256 * 1024

/** Mounts every route on a server that exists already. */
export async function loadApp({
  config,
  layout,
  disk,
  log,
  clock,
  verifyAssertion,
  relayStatus,
  server,
  registry,
  history,
  index,
  links,
  changes,
  noteJobs,
  streams,
  activity,
  versions,
  writeNote,
  live,
}: Deps): Promise<LoadedApp> {
  const {
    maxNoteBytes,
    maxAttachmentBytes,
    maxImportBytes,
    reservedBytes,
    searchDeadlineMs,
    searchPath,
    allowedHosts,
    version,
  } = config
  const readNote = createReadNote({ versions, maxNoteBytes, runNoteJob: noteJobs })
  const saveNote = createSaveNote({ writeNote })
  const editNote = createEditNote({ writeNote, versions, maxNoteBytes, runNoteJob: noteJobs })
  const moveToTrash = createMoveToTrash({ clock })
  const deleteNote = createDeleteNote({ moveToTrash, historyOf: history.of, versions, maxNoteBytes })
  const searchNotes = createSearchNotes({
    indexOf: index.of,
    describeFile: createDescribeFile({ runNoteJob: noteJobs }),
    clock,
    deadlineMs: searchDeadlineMs,
    maxNoteBytes,
  })
  const vaultInfo = createVaultInfo({ indexOf: index.of, historyOf: history.of })
  const texts = createNoteTexts({ searchPath })
  const noteAuthors = createNoteAuthors({
    findCommitted: createCommittedAuthors({ texts, runNoteJob: noteJobs }),
    historyOf: history.of,
    runNoteJob: noteJobs,
    maxNoteBytes,
    now: clock.now,
  })
  const planMove = createPlanMove({ linksOf: links.of, runNoteJob: noteJobs, clock, maxNoteBytes })
  const moves = createMoveInVault({ prepare: createPrepareMove({ planMove }), log })
  const prepareRevert = createPrepareRevert({
    vaultCommits: createVaultCommits({ open: openHistory({ searchPath }) }),
    texts,
    historyOf: history.of,
    runNoteJob: noteJobs,
    maxNoteBytes,
  })
  const revertChanges = createRevertChanges({ prepareRevert, saveNote, deleteNote, moves })
  const questions = createLinkQuestions({
    linksOf: links.of,
    indexOf: index.of,
    runNoteJob: noteJobs,
    clock,
    deadlineMs: searchDeadlineMs,
    maxNoteBytes,
  })
  const writeAttachment = createWriteAttachment({ maxBytes: maxAttachmentBytes })
  const verbs = {
    registry,
    readNote,
    saveNote,
    editNote,
    deleteNote,
    searchNotes,
    vaultInfo,
    noteTree: createNoteTree({ runNoteJob: noteJobs }),
    runNoteJob: noteJobs,
    moves,
    linksOfFile: questions.linksOfFile,
    writeAttachment,
    historyOf: history.of,
    readHistory: readHistory({ open: openHistory({ searchPath }) }),
  }
  const maxBodyBytes = maxNoteBytes + SMALL_BODY

  const { app, handle, useUi } = createHttpServer({
    server,
    log,
    allowedHosts,
    verifyAssertion,
    maxBodyBytes: SMALL_BODY,
  })
  const upgrade = await webSockets(app)
  await openapi(app, { version })
  countRequests(app, { registry })
  countActivity(app, activity)
  await app.register(healthRoutes({ layout, registry, relayStatus }))
  await app.register(personRoutes({ registry, preferences: storedPreferences({ folder: layout.daemon, log }) }))
  await app.register(vaultsRoutes(verbs))
  await app.register(notesRoutes({ ...verbs, maxBodyBytes }))
  await app.register(
    attachmentsRoutes({
      registry,
      writeAttachment,
      deleteAttachment: createDeleteAttachment({ moveToTrash }),
      maxBytes: maxAttachmentBytes,
    }),
  )
  await app.register(foldersRoutes({ registry, deleteFolder: createDeleteFolder({ clock }) }))
  const home = createFileRoot({ path: layout.vaults, disk, reservedBytes })
  const importVault = createImportVault({ registry, layout, home, maxBytes: maxImportBytes })
  await app.register(
    archivesRoutes({ registry, exportVault: createExportVault({ log }), importVault, maxBytes: maxImportBytes }),
  )
  await app.register(movesRoutes({ registry, moves }))
  await app.register(liveRoutes({ registry, live, activity, clock, log }))
  await app.register(searchRoutes(verbs))
  await app.register(
    linksRoutes({
      registry,
      ...questions,
    }),
  )
  await app.register(opsRoutes({ registry, layout, activity, clock }))
  await app.register(trashRoutes({ registry, trash: createTrash({ historyOf: history.of }) }))
  await app.register(auditRoutes({ registry }))
  await app.register(historyRoutes(verbs))
  await app.register(revertsRoutes({ registry, prepareRevert, revertChanges }))
  await app.register(authorsRoutes({ registry, historyOf: history.of, noteAuthors }))
  await app.register(eventsRoutes({ registry, changesOf: changes.of, streams }))
  const tools = toolTable(verbs)
  await app.register(agentRoutes({ tools, maxBodyBytes }))
  await app.register(mcpRoutes({ ...verbs, tools, changesOf: changes.of, version, clock, log }))
  useUi(await createStaticUi(app))
  await app.ready()

  return { handle, upgrade, close: () => app.close() }
}
