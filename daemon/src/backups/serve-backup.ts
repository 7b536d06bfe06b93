import { rm } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { encodeFrame, NAMES_PER_FRAME, type BackupFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import { BackupRequest, type BackupMessage } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import type { BackupCache } from './backup-cache.ts'
import { replacedFolder } from './replace-home.ts'
import { createChunkSeal } from './sealed-chunk.ts'
import { takeBackup } from './take-backup.ts'

type Deps = {
  layout: HomeLayout
  cache: BackupCache
  flush(): Promise<unknown>
  refuseAway(): Promise<void>
  clock: Clock
  log: Log
}

const MAX_STORED = 1_000_000

/** Takes a backup for the platform: reads which chunks are stored, and sends those that are not. */
export function createServeBackup({ layout, cache, flush, refuseAway, clock, log }: Deps) {
  return async (frames: AsyncGenerator<BackupFrame>, signal: AbortSignal): Promise<PassThrough> => {
    const { backupId, key } = await readHead(frames)
    const stored = new Set<string>()
    for await (const frame of frames) {
      if (frame.type !== 'names' || stored.size > MAX_STORED)
        throw fail('invalid_request', [{ path: 'body', message: 'has more than the names of stored chunks' }])
      for (const name of frame.names) stored.add(name)
    }

    const output = new PassThrough({ highWaterMark: 1 })
    const over = new AbortController()
    output.once('close', () => over.abort(fail('stream_reset')))
    const send = createSend(output)
    const run = async () => {
      const taken = await takeBackup({
        home: layout.home,
        backupId,
        seal: createChunkSeal(key),
        stored,
        previous: await cache.find(),
        flush,
        refuseAway,
        sink: {
          chunk: (name, sealed) => send({ type: 'chunk', name, sealed }),
          manifest: (sealed) => send({ type: 'manifest', sealed }),
          progress: (progress) => send(message({ kind: 'progress', ...progress })),
        },
        clock,
        signal: AbortSignal.any([signal, over.signal]),
      })
      for (let at = 0; at < taken.chunks.length; at += NAMES_PER_FRAME)
        await send({ type: 'names', names: taken.chunks.slice(at, at + NAMES_PER_FRAME) })
      // The backup is whole without either. What was replaced goes first, since it may be what fills the volume.
      await rm(replacedFolder(layout), { recursive: true, force: true }).catch((err: unknown) =>
        log.warn({ err, backupId }, 'a replaced home could not be removed'),
      )
      await cache
        .replace(taken.manifest)
        .catch((err: unknown) =>
          log.warn({ err, backupId }, 'the manifest could not be kept; the next backup reads more files'),
        )
      await send(message({ kind: 'done', summary: taken.summary }))
      log.info({ backupId, ...taken.summary }, 'a backup was taken')
    }
    void withFileFailures(run)
      .catch((err: unknown) => {
        log.warn({ err, backupId }, 'a backup was not finished')
        return send(message({ kind: 'failed', failure: failureOf(err) }))
      })
      .finally(() => output.end())
    return output
  }
}

async function readHead(frames: AsyncGenerator<BackupFrame>) {
  const first = await frames.next()
  const parsed = BackupRequest.safeParse(first.value?.type === 'message' ? first.value.value : undefined)
  if (!parsed.success)
    throw fail('invalid_request', [{ path: 'body', message: 'does not begin with a backup request' }])
  return parsed.data
}

/** Writes frames, and waits for a slower reader. A disconnected reader is no failure here. */
export function createSend(output: PassThrough) {
  return async (frame: BackupFrame): Promise<void> => {
    if (output.destroyed || output.write(encodeFrame(frame))) return
    await new Promise<void>((resolve) => {
      // Both listeners go: a backup waits many thousand times.
      const goOn = () => {
        output.off('drain', goOn).off('close', goOn)
        resolve()
      }
      output.on('drain', goOn).on('close', goOn)
    })
  }
}

export const message = (value: BackupMessage): BackupFrame => ({ type: 'message', value })

/** The failure as it is reported to the platform. */
export function failureOf(error: unknown): { code: string; reason?: string } {
  if (!isFailure(error)) return { code: 'internal' }
  const { reason } = (error.details ?? {}) as { reason?: string }
  return reason === undefined ? { code: error.code } : { code: error.code, reason }
}
