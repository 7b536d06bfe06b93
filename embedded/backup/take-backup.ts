import { lstat, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readFile } from 'node:fs/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { parentOf } from '../database/process-table.ts'
import { DataInUse, runningPostmaster, waitForOrphan } from '../database/postmaster.ts'
import { dataHolder, lockBackup, lockData } from '../installation/lock-data.ts'
import { gatherStartFacts } from '../installation/open-installation.ts'
import { decideStart } from '../installation/decide-start.ts'
import { dataParts, pendingAction } from '../installation/pending.ts'
import { databaseLayout, type DataLayout } from '../installation/places.ts'
import { StartRefused, WrongUse } from '../installation/refusal.ts'
import { syncFolder } from '../installation/small-file.ts'
import { FORMAT } from './archive-format.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { copyRunningDatabase, copyStoppedDatabase, VERSION_FILE } from './database-copy.ts'
import { createFolderCopy } from './folder-copy.ts'
import { whileFrozen } from './freeze.ts'
import { publishDraft } from './publish-draft.ts'

type Options = {
  layout: DataLayout
  /** The file to write; it must not exist. */
  file: string
  clock: Clock
  log: Log
  onProgress: (done: { files: number; bytes: number }) => void
}

/** The content of a backup; `stoodStillMs` is how long a running platform was stopped for it. */
export type BackupTaken = {
  files: number
  bytes: number
  archiveBytes: number
  stoodStillMs: number
  skipped: string[]
}

const PROGRESS_MS = 500

/**
 * Backs up a running or stopped platform. The backup is the state that a power cut at one moment near its end would
 * have left: a running platform is stopped for that moment, so database and vaults fit together.
 */
export async function takeBackup(options: Options): Promise<BackupTaken> {
  const { layout, file, clock } = options
  const draft = `${file}.${process.pid}.partial`
  if (await lstat(file).catch(() => undefined)) throw new WrongUse(`${file} is there already. Name a new file.`)

  const found = await openForBackup(layout)
  const lock = lockBackup(layout.dataDir)
  const archive = new ArchiveWriter(draft)
  const ticking = new AbortController()
  void tick(options, archive, ticking.signal)
  try {
    const { cluster } = databaseLayout(found.folder)
    await archive.addHeader({
      product: 'svc-platform',
      format: FORMAT,
      id: found.id,
      createdAt: clock.now().toISOString(),
      postgres: (await readFile(join(cluster, VERSION_FILE), 'utf8')).trim(),
      architecture: process.arch,
    })
    const { stoodStillMs, skipped } = await copyAll({ ...options, archive, cluster })
    await archive.finish()
    await publishDraft(draft, file)
    await syncFolder(dirname(file))
    const { size } = await lstat(file)
    return { files: archive.count, bytes: archive.bytes, archiveBytes: size, stoodStillMs, skipped }
  } catch (error) {
    await archive.abort()
    throw error
  } finally {
    ticking.abort()
    await rm(draft, { force: true })
    lock.release()
  }
}

/** The installation of a data folder. Refuses one that could not start. */
async function openForBackup(layout: DataLayout): Promise<{ id: string; folder: string }> {
  await refuseInterrupted(layout)
  const facts = await gatherStartFacts(layout)
  const decision = decideStart(facts)
  if (decision.kind === 'refuse') throw new StartRefused(decision.message)
  if (decision.kind !== 'open' || facts.record === undefined)
    throw new WrongUse(`There is no installation in ${layout.dataDir} to back up. Start it once with npm start.`)
  return { id: facts.record.id, folder: decision.folder }
}

/** Between two steps of a restore or reset, the database and the vaults do not belong together. */
async function refuseInterrupted(layout: DataLayout): Promise<void> {
  const action = await pendingAction(layout)
  if (action === undefined) return
  const holder = dataHolder(layout.dataDir)
  if (holder !== undefined) throw new DataInUse(layout.dataDir, holder) // it carries out the change
  throw new StartRefused(
    `A ${action} in ${layout.dataDir} was interrupted. Start the platform once, which completes it, and take the backup then.`,
  )
}

type Copy = Options & { archive: ArchiveWriter; cluster: string }

async function copyAll({ layout, archive, cluster, clock, log }: Copy) {
  const copy = createFolderCopy({ archive, clock })
  const sources = dataParts.map((part) => ({ name: `data/${part}`, path: join(layout.dataDir, part) }))
  const skipped = () => [...copy.skipped]

  const holder = dataHolder(layout.dataDir)
  if (holder === undefined) {
    const lock = lockData(layout.dataDir)
    try {
      await waitForOrphan(cluster, { clock, log })
      await copy.pass(sources)
      await copyStoppedDatabase(archive, cluster)
      return { stoodStillMs: 0, skipped: skipped() }
    } finally {
      lock.release()
    }
  }

  const postmaster = await runningPostmaster(cluster)
  if (postmaster === undefined) throw new DataInUse(layout.dataDir, holder) // it is starting or stopping
  const keeper = await parentOf(postmaster.pid)
  let stoodStillMs = 0
  await copy.pass(sources)
  await copyRunningDatabase({ archive, cluster, socket: postmaster.socket }, async (fix) => {
    await copy.pass(sources) // this leaves less to copy while the platform is stopped
    const since = clock.monotonic()
    await whileFrozen({ pid: holder, except: keeper, clock }, async () => {
      await copy.pass(sources)
      await fix()
    })
    stoodStillMs = clock.monotonic() - since
  })
  return { stoodStillMs, skipped: skipped() }
}

async function tick({ clock, onProgress }: Options, archive: ArchiveWriter, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    onProgress({ files: archive.count, bytes: archive.bytes })
    await clock.sleep(PROGRESS_MS, signal).catch(() => {})
  }
}
