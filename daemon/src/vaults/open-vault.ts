import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createAuditLog } from '../audit/audit-log.ts'
import type { Disk, Disks } from '../files/disk/disk.ts'
import { recoverAtStart } from '../journal/recover-changes.ts'
import { createFileRoot } from '../files/file-root.ts'
import { openMountedFolders } from '../files/mounted-folders.ts'
import { clearStage } from '../files/stage-file.ts'
import { createPathQueue } from '../files/path-queue.ts'
import { listerOf } from '../watch/list-folder.ts'
import { createVaultWatch, type Recheck } from '../watch/vault-watch.ts'
import { watchMode, type WatchSetting } from '../watch/watch-mode.ts'
import { isMade } from './is-made.ts'
import type { LiveNotes } from './live-notes.ts'
import { createDoubtfulChanges } from './doubtful-changes.ts'
import { createEmptiedNotes } from '../watch/emptied-notes.ts'
import { createOwnChanges } from './own-changes.ts'
import { beginReading } from './reading/first-reading.ts'
import { ownFolder } from './reading/own-folder.ts'
import { createRecheckFile } from './reading/recheck-file.ts'
import { outsideOrigin, type FileContent, type FollowVault } from './vault-change.ts'
import type { FileMemory } from './file-memory.ts'
import { readVaultFile, type VaultFile } from './vault-identity.ts'
import { vaultLayout } from './vault-layout.ts'
import { identityKey } from '../files/vault-path.ts'
import { createVaultView } from './vault-view.ts'
import type { Vault } from './vault.ts'

/** What opening a vault needs in addition to the vault itself. */
export type VaultParts = {
  disks: Disks
  /** The disk of the daemon's own files. */
  ownDisk: { disk: Disk; isLocal: boolean }
  /** The number of bytes to keep free on the volume. */
  reservedBytes: number
  auditFolder: string
  /** The file that records which folders of the vault are disks of their own. */
  mountedFile: string
  maxNoteBytes: number
  /** Describes the content of a file; for a file that cannot be a note, the bytes are undefined. */
  describeFile(path: string, bytes: Buffer | undefined): Promise<FileContent>
  /** The file memory of a vault that is followed. */
  memoryOf(vault: { id: string }): FileMemory
  /** The live sessions of a vault that is followed; `start` restores what a crash has left. */
  liveOf(vault: { id: string }): LiveNotes & { start(vault: Vault): Promise<void> }
  /** The followers of the vault, in the order in which they are notified. */
  follow: readonly FollowVault[]
  watch: WatchSetting
  clock: Clock
  log: Log
}

type Options = VaultParts & { id: string; root: string; file: VaultFile }

/** Opens a vault. Returns quickly; listing and reading continue in the background. Changes no file of the vault. */
export async function openVault({
  id,
  root,
  file,
  disks,
  ownDisk,
  reservedBytes,
  auditFolder,
  mountedFile,
  maxNoteBytes,
  describeFile,
  memoryOf,
  liveOf,
  follow,
  watch: setting,
  clock,
  log,
}: Options): Promise<Vault> {
  const queue = createPathQueue()
  const { isReplaced, refuseReplaced } = await ownFolder({ root, identity: file.identity })
  const mounted = await openMountedFolders({ root, file: mountedFile, log: log.child({ vault: id }) })
  const mode = await watchMode(setting, root)
  const isLocal = mode === 'watch'
  const disk = isLocal ? disks.local : disks.any
  const files = createFileRoot({ path: root, disk, reservedBytes, mounted, refuseReplaced, isLocal })
  const view = createVaultView({ id, root, follow, log })
  const { manifest, publish } = view
  const memory = memoryOf({ id })
  const closing = new AbortController()
  const doubtful = createDoubtfulChanges()

  const watch = createVaultWatch({
    root,
    manifest,
    mounted,
    recheck: (path, stored) => recheck(path, stored),
    onFolder: (path, kind, by) => publish({ kind, path, origin: by ? { kind: 'api', by } : outsideOrigin }),
    onUnread: view.unreadChanged,
    withRenames: view.withRenames,
    undisturbed: (run) => queue.run('.svc/missing', run),
    isPresent: async () => (await readVaultFile(root).catch(() => undefined))?.identity === file.identity,
    mode,
    clock,
    log: log.child({ vault: id }),
  })

  const recheck: Recheck = (path, stored) => queue.run(identityKey(path), () => recheckInQueue(path, stored))
  const emptied = createEmptiedNotes(recheck)

  const { recheckInQueue, readIfMarkdown, isUnreadable } = createRecheckFile({
    id,
    root,
    view,
    mounted,
    isReplaced,
    emptied,
    doubtful,
    describeFile,
    maxNoteBytes,
    log,
  })

  // Complete interrupted changes before anything reads the files, and before the drafts that they need are removed.
  const isRecovered = await recoverAtStart(files, log.child({ vault: id }))
  const own = createOwnChanges({
    root,
    view,
    watch,
    read: readIfMarkdown,
    describeFile,
    recheck,
    list: listerOf(files),
    log,
  })
  const audit = createAuditLog({
    folder: auditFolder,
    vaultId: id,
    ...ownDisk,
    clock,
    log,
    isMade: (evidence) => isMade(files, evidence),
  })
  // This runs before any request, so no upload is in progress.
  if (isRecovered)
    await clearStage(files).catch((error: unknown) =>
      log.warn({ err: error, vault: id }, 'old drafts cannot be removed'),
    )
  const reading = beginReading({
    manifest,
    memory,
    watch,
    async read(path) {
      await recheck(path)
      // A file of a vault that is not at its place stays as it was.
      const known = manifest.file(path)
      return (!known || known.facts !== undefined) && !isUnreadable(path)
    },
    view,
    signal: closing.signal,
    log: log.child({ vault: id }),
  })

  function stopping(): void {
    closing.abort(fail('vault_closing'))
    memory.stop()
    emptied.stop()
    void watch.close()
    view.stopping()
  }

  const live = liveOf({ id })
  const vault: Vault = {
    id,
    identity: file.identity,
    displayName: file.displayName,
    createdAt: file.createdAt,
    layout: vaultLayout(root),
    files,
    queue,
    manifest,
    audit,
    live,
    get listed() {
      return reading.listed()
    },
    isIndexed: reading.isIndexed,
    unread: reading.unread,
    away: watch.away,
    look: watch.sweep,
    recheck,
    recheckInQueue,
    refuseReplaced,
    doubt: doubtful.add,
    ...own,
    async flush() {
      const [failed, work] = await Promise.all([live.flush(), queue.drain()])
      for (const error of failed.values()) throw error
      return work
    },
    stopping,
    async close() {
      stopping()
      await live.close()
      await watch.close()
      await reading.ended
      await queue.close()
      await view.close()
      await audit.close()
    },
  }
  await live.start(vault)
  return vault
}
