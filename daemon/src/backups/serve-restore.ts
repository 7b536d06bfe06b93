import { mkdir, rm } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { BackupFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import { RestoreRequest, type RestoreSummary } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import type { FileRoot } from '../files/file-root.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { backupBroken } from './backup-broken.ts'
import { decodeManifest, type Manifest } from './backup-manifest.ts'
import { dropIntent, intendRestore } from './replace-home.ts'
import { restoringFolder } from './restore-begun.ts'
import { createChunkSeal, type ChunkSeal } from './sealed-chunk.ts'
import { createSend, failureOf, message } from './serve-backup.ts'
import { stageRestore } from './stage-restore.ts'

type Deps = {
  layout: HomeLayout
  /** The volume of the home. */
  volume: Pick<FileRoot, 'makeRoom'>
  /** Opens a collected home with a separate daemon; returns how many vaults it serves. */
  tryHome(folder: string, signal: AbortSignal): Promise<number>
  /** Ends this daemon, so that the next start puts the collected home in place. */
  restart(): void
  clock: Clock
  log: Log
}

const PROGRESS_MS = 2_000
const MAX_PARTS = 4096

/** Restores a backup that the platform sends: into this home or, for a drill, into a temporary one. */
export function createServeRestore({ layout, volume, tryHome, restart, clock, log }: Deps) {
  return async (frames: AsyncGenerator<BackupFrame>, signal: AbortSignal): Promise<PassThrough> => {
    const request = await readHead(frames)
    const { backupId, restoreId, purpose } = request
    const folder = restoringFolder(layout)
    const output = new PassThrough({ highWaterMark: 1 })
    const over = new AbortController()
    output.once('close', () => over.abort(fail('stream_reset')))
    const send = createSend(output)
    const both = AbortSignal.any([signal, over.signal])

    // A restore whose caller went away may have left both. An intent never stays beside a folder it does not describe.
    const clear = async () => {
      await dropIntent(layout)
      await rm(folder, { recursive: true, force: true })
    }

    const gather = async (): Promise<RestoreSummary> => {
      const seal = createChunkSeal(request.key)
      const { manifest, chunks } = await readManifest(frames, { backupId, seal })
      let bytes = 0
      for (const { size } of manifest.files.values()) bytes += size
      await clear()
      await volume.makeRoom(bytes)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      let toldAt = clock.monotonic()
      const progress = async (done: { files: number; bytes: number }) => {
        if (clock.monotonic() - toldAt < PROGRESS_MS) return
        toldAt = clock.monotonic()
        await send(message({ kind: 'progress', ...done }))
      }
      const summary = await stageRestore({ folder, manifest, seal, chunks, progress, signal: both })
      if (purpose === 'drill' && (await tryHome(folder, both)) !== summary.vaults) throw backupBroken('VaultsDiffer')
      return summary
    }
    const run = async () => {
      const summary = await gather()
      both.throwIfAborted()
      if (purpose === 'drill') await rm(folder, { recursive: true, force: true })
      else await intendRestore(layout, { restoreId, backupId, at: clock.now().toISOString(), summary })
      log.info({ backupId, restoreId, purpose, ...summary }, 'a backup was restored and proved')
      await send({ type: 'message', value: { kind: 'done', summary } })
      return purpose === 'replace'
    }
    void withFileFailures(run)
      .catch(async (err: unknown) => {
        log.warn({ err, backupId, restoreId, purpose }, 'a backup was not restored')
        await clear().catch((clearErr: unknown) => log.warn({ err: clearErr, restoreId }, 'a restore leaves files'))
        await send(message({ kind: 'failed', failure: failureOf(err) }))
        return false
      })
      .then((replaces) => {
        // The caller may be gone by now. The restore is recorded all the same, so it must not wait for some later start.
        if (output.closed && replaces) restart()
        else if (replaces) output.once('close', restart)
        output.end()
      })
    return output
  }
}

async function readHead(frames: AsyncGenerator<BackupFrame>): Promise<RestoreRequest> {
  const first = await frames.next()
  const parsed = RestoreRequest.safeParse(first.value?.type === 'message' ? first.value.value : undefined)
  if (!parsed.success)
    throw fail('invalid_request', [{ path: 'body', message: 'does not begin with a restore request' }])
  return parsed.data
}

/** Opens the parts of the manifest, which come before the chunks. */
async function readManifest(
  frames: AsyncGenerator<BackupFrame>,
  { backupId, seal }: { backupId: string; seal: ChunkSeal },
): Promise<{ manifest: Manifest; chunks: AsyncGenerator<{ name: string; sealed: Buffer }> }> {
  let first: BackupFrame | undefined
  const parts = async function* () {
    for (let index = 0; ; index++) {
      const { value, done } = await frames.next()
      if (done === true) return
      if (value.type !== 'manifest' || index === MAX_PARTS) return void (first = value)
      yield await seal.open(value.sealed, `manifest:${backupId}:${index}`)
    }
  }
  const manifest = await decodeManifest(parts())
  if (manifest.head.backupId !== backupId) throw backupBroken('ManifestInvalid')
  const chunks = async function* () {
    for (let frame = first; frame !== undefined;) {
      if (frame.type !== 'chunk') throw fail('invalid_request', [{ path: 'body', message: 'has a frame out of place' }])
      yield frame
      const next = await frames.next()
      frame = next.done === true ? undefined : next.value
    }
  }
  return { manifest, chunks: chunks() }
}
