import type { Server } from 'node:http'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { createExportVault } from './archives/export-vault.ts'
import { createImportVault } from './archives/import-vault.ts'
import { createDeleteAttachment } from './attachments/delete-attachment.ts'
import { createWriteAttachment } from './attachments/write-attachment.ts'
import { createCommittedAuthors } from './authors/committed-authors.ts'
import { createNoteAuthors } from './authors/note-authors.ts'
import { createDeleteFolder } from './folders/delete-folder.ts'
import { createFindMoved } from './history/renames/find-moved.ts'
import { openComplete, openHistory } from './history/history-reader.ts'
import { createListDeletedNotes } from './history/list-deleted-notes.ts'
import { createVaultCommits } from './history/vault-commits.ts'
import { createFindPastVersion } from './history/past-version.ts'
import { createNoteTexts } from './history/note-texts.ts'
import { readHistory } from './history/read-history.ts'
import type { HomeLayout } from './home/home-layout.ts'
import type { Activity } from './http/activity.ts'
import { createTextRoom } from './http/text-room.ts'
import { createLinkQuestions } from './links/link-questions.ts'
import { createDescribeActivity } from './news/describe-activity.ts'
import type { followNews } from './news/follow-news.ts'
import { createDescribeFile } from './notes/describe-file.ts'
import { createDeleteNote } from './notes/delete-note.ts'
import { createEditNote } from './notes/edit-note.ts'
import { createMoveInVault } from './moves/move-in-vault.ts'
import { createPlanMove } from './moves/move-plan.ts'
import { createPlanLinks } from './moves/links-plan.ts'
import { createPrepareMove } from './moves/prepare-move.ts'
import { createNoteTree } from './notes/note-tree.ts'
import { createNoteReader, createReadNote } from './notes/read-note.ts'
import type { RecentVersions } from './notes/recent-versions.ts'
import { createSaveNote } from './notes/save-note.ts'
import type { WriteNote } from './notes/write-note.ts'
import type { LiveOfVaults } from './live/follow-live.ts'
import { createPrepareRevert } from './reverts/prepare-revert.ts'
import { createRestoredWriters } from './reverts/restored-writers.ts'
import { createRevertChanges } from './reverts/revert-changes.ts'
import { createStageRevert } from './reverts/stage-revert.ts'
import { createSearchNotes } from './search/search-notes.ts'
import type { RelayState } from './status/relay-state.ts'
import { createMoveToTrash } from './trash/move-to-trash.ts'
import { createTrash } from './trash/trash.ts'
import { createVaultInfo } from './storage/vault-info.ts'
import type { VerifyAssertion } from './entry/caller.ts'
import type { followChanges } from './events/follow-changes.ts'
import type { OpenStreams } from './events/open-streams.ts'
import type { Disk } from './files/disk/disk.ts'
import { createFileRoot } from './files/file-root.ts'
import type { followHistory } from './history/follow-history.ts'
import type { followLinks } from './links/follow-links.ts'
import type { RunNoteJob } from './note-jobs/run-note-job.ts'
import type { followIndex } from './search/follow-index.ts'
import type { VaultRegistry } from './vaults/vault-registry.ts'

/** What the routes need: the open vaults, their followers, and limits. */
export type AppDeps = {
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
  expectWork?: () => void
  server: Server
  registry: VaultRegistry
  history: ReturnType<typeof followHistory>
  index: ReturnType<typeof followIndex>
  links: ReturnType<typeof followLinks>
  changes: ReturnType<typeof followChanges>
  news: ReturnType<typeof followNews>
  noteJobs: RunNoteJob
  streams: OpenStreams
  activity: Activity
  versions: RecentVersions
  writeNote: WriteNote
  live: LiveOfVaults
}

/** Every verb that a route or a tool calls, composed from the parts that the daemon has opened. */
export function composeVerbs(
  deps: Omit<AppDeps, 'verifyAssertion' | 'relayStatus' | 'server' | 'streams' | 'activity' | 'live'>,
) {
  const {
    config,
    layout,
    disk,
    log,
    clock,
    registry,
    history,
    index,
    links,
    changes,
    news,
    noteJobs,
    versions,
    writeNote,
  } = deps
  const { maxNoteBytes, maxAttachmentBytes, maxImportBytes, reservedBytes, searchDeadlineMs, searchPath } = config
  const noteReader = createNoteReader({ versions, maxNoteBytes, runNoteJob: noteJobs })
  const saveNote = createSaveNote({ writeNote })
  const texts = createNoteTexts({ searchPath })
  const editNote = createEditNote({
    writeNote,
    versions,
    historyOf: history.of,
    findPastVersion: createFindPastVersion({ texts }),
    maxNoteBytes,
    runNoteJob: noteJobs,
  })
  const moveToTrash = createMoveToTrash({ clock })
  const deleteNote = createDeleteNote({ moveToTrash, historyOf: history.of, versions, maxNoteBytes })
  const searchNotes = createSearchNotes({
    indexOf: index.of,
    describeFile: createDescribeFile({ runNoteJob: noteJobs }),
    expectWork: deps.expectWork,
    clock,
    deadlineMs: searchDeadlineMs,
    maxNoteBytes,
  })
  const vaultInfo = createVaultInfo({
    settings: { maxNoteBytes, maxAttachmentBytes },
    indexOf: index.of,
    historyOf: history.of,
  })
  const findCommitted = createCommittedAuthors({ texts, runNoteJob: noteJobs })
  const noteAuthors = createNoteAuthors({
    findCommitted,
    historyOf: history.of,
    runNoteJob: noteJobs,
    maxNoteBytes,
    now: clock.now,
  })
  const planLinks = createPlanLinks({ linksOf: links.of, runNoteJob: noteJobs, clock, maxNoteBytes })
  const prepareMove = createPrepareMove({ planMove: createPlanMove({ planLinks }) })
  const moves = createMoveInVault({ prepare: prepareMove, maxNoteBytes, log })
  const prepareRevert = createPrepareRevert({
    vaultCommits: createVaultCommits({ open: openComplete({ searchPath }), now: clock.now }),
    texts,
    historyOf: history.of,
    runNoteJob: noteJobs,
    maxNoteBytes,
  })
  const findRestoredWriters = createRestoredWriters({
    findCommitted,
    texts,
    historyOf: history.of,
    runNoteJob: noteJobs,
  })
  const revertChanges = createRevertChanges({
    prepareRevert,
    stageRevert: createStageRevert({ planLinks, findRestoredWriters, versions, clock, maxNoteBytes }),
    historyOf: history.of,
    log,
  })
  const questions = createLinkQuestions({
    linksOf: links.of,
    indexOf: index.of,
    runNoteJob: noteJobs,
    clock,
    deadlineMs: searchDeadlineMs,
    maxNoteBytes,
  })
  const writeAttachment = createWriteAttachment({ maxBytes: maxAttachmentBytes })
  return {
    registry,
    textRoom: createTextRoom({ clock }),
    noteReader,
    readNote: createReadNote(noteReader),
    saveNote,
    editNote,
    deleteNote,
    searchNotes,
    vaultInfo,
    describeActivity: createDescribeActivity({ indexOf: index.of, newsOf: news.of }),
    newsOf: news.of,
    noteTree: createNoteTree({ runNoteJob: noteJobs }),
    runNoteJob: noteJobs,
    moves,
    linkQuestions: questions,
    linksOfFile: questions.linksOfFile,
    linksOfNote: questions.linksOfNote,
    writeAttachment,
    historyOf: history.of,
    readHistory: readHistory({ open: openHistory({ searchPath }) }),
    findMoved: createFindMoved({ open: openHistory({ searchPath }) }),
    listDeletedNotes: createListDeletedNotes({ open: openHistory({ searchPath }) }),
    prepareRevert,
    revertChanges,
    noteAuthors,
    deleteAttachment: createDeleteAttachment({ moveToTrash, historyOf: history.of, versions }),
    deleteFolder: createDeleteFolder({ clock }),
    exportVault: createExportVault({ log }),
    importVault: createImportVault({
      registry,
      layout,
      home: createFileRoot({ path: layout.vaults, disk, reservedBytes }),
      maxBytes: maxImportBytes,
    }),
    trash: createTrash({ historyOf: history.of }),
    changesOf: changes.of,
  }
}
