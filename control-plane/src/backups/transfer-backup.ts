import { decodeFrames, encodeFrame, NAMES_PER_FRAME, type BackupFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import {
  BACKUP_FORMAT,
  BackupMessage,
  RestoreMessage,
  type RestoreRequest,
  type RestoreSummary,
} from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { errorCatalogue, fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import type { BackupCatalog, Envelope } from './backup-catalog.ts'

/** Sends a stream of frames to the daemon of an organization, and yields the frames of its response. */
export type ExchangeFrames = (call: {
  orgId: string
  target: '/api/ops/backup' | '/api/ops/restore'
  body: AsyncIterable<Buffer>
  signal: AbortSignal
}) => AsyncGenerator<Buffer>

type Deps = { catalog: BackupCatalog; exchange: ExchangeFrames; limits?: TransferLimits }
type Backup = { orgId: string; backupId: string; key: string; signal: AbortSignal }
type Restore = Pick<RestoreRequest, 'restoreId' | 'purpose'> & {
  orgId: string
  from: Envelope
  key: string
  signal: AbortSignal
}

const UPLOADS = 4

/** What one transfer may take of the bucket, the memory and the time of a worker. */
export type TransferLimits = { chunks: number; manifestParts: number; sealedBytes: number; ms: number }

/** A daemon decides what it sends, so it could send without end. */
const transferLimits: TransferLimits = {
  // As many as a daemon reads of those that are stored.
  chunks: 1_000_000,
  // Parts have a megabyte: this holds two million files and as many folders, all with long paths.
  manifestParts: 20_000,
  sealedBytes: 2 * 1024 ** 4,
  // Less than the catalog keeps the chunks of a backup in progress.
  ms: 12 * 3_600_000,
}

/** Carries backups from daemons into the bucket, and back. The bytes are sealed: nothing here can open them. */
export function createTransferBackup({ catalog, exchange, limits = transferLimits }: Deps) {
  const receiveAll = async ({ orgId, backupId, key, signal }: Backup): Promise<Envelope> => {
    const stored = await catalog.listReusable(orgId, signal)
    const body = async function* () {
      yield encodeFrame({ type: 'message', value: { format: BACKUP_FORMAT, backupId, key } })
      for (let at = 0; at < stored.length; at += NAMES_PER_FRAME)
        yield encodeFrame({ type: 'names', names: stored.slice(at, at + NAMES_PER_FRAME) })
    }
    const kept = new Set(stored)
    const sent = new Set<string>()
    const chunks: string[] = []
    let parts = 0
    const room = roomIn(limits)
    const uploads = createUploads()
    for await (const frame of decodeFrames(exchange({ orgId, target: '/api/ops/backup', body: body(), signal }))) {
      signal.throwIfAborted()
      if (frame.type === 'chunk') {
        room.take({ sentChunks: 1, sealedBytes: frame.sealed.length })
        // A daemon that was taken over could replace the chunks of its earlier backups. An honest one sends none of these.
        if (kept.has(frame.name)) continue
        sent.add(frame.name)
        await uploads.add(() => catalog.putChunk(orgId, frame.name, frame.sealed, signal))
      } else if (frame.type === 'manifest') {
        room.take({ manifestParts: 1, sealedBytes: frame.sealed.length })
        const part = parts++
        await uploads.add(() => catalog.putPart({ orgId, backupId }, part, frame.sealed, signal))
      } else if (frame.type === 'names') {
        room.take({ chunks: frame.names.length })
        for (const name of frame.names) chunks.push(name)
      } else {
        const message = BackupMessage.safeParse(frame.value)
        if (!message.success) throw fail('daemon_unreachable', { reason: 'AnswerInvalid' })
        if (message.data.kind === 'failed') throw told(message.data.failure)
        if (message.data.kind === 'progress') continue
        await uploads.done()
        const { summary } = message.data
        // Do not trust the daemon: the backup exists only if every chunk that it names is stored.
        if (parts === 0 || summary.manifestParts !== parts || !chunks.every((name) => kept.has(name) || sent.has(name)))
          throw fail('daemon_unreachable', { reason: 'BackupIncomplete' })
        const envelope: Envelope = { format: BACKUP_FORMAT, backupId, orgId, summary, chunks }
        await catalog.putEnvelope(envelope, signal)
        return envelope
      }
    }
    throw fail('stream_reset')
  }

  const sendAll = async ({ orgId, from, key, restoreId, purpose, signal }: Restore): Promise<RestoreSummary> => {
    const body = async function* () {
      const { backupId, summary, chunks } = from
      const value = { format: BACKUP_FORMAT, restoreId, backupId, key, purpose }
      yield encodeFrame({ type: 'message', value })
      for (let part = 0; part < summary.manifestParts; part++) {
        const sealed = await catalog.findPart(from, part, signal)
        if (sealed === undefined) return
        yield encodeFrame({ type: 'manifest', sealed })
      }
      for (const name of chunks) {
        const sealed = await catalog.findChunk(from.orgId, name, signal)
        // A chunk that is not found is left out: the daemon reports the chunks that it lacks.
        if (sealed !== undefined) yield encodeFrame({ type: 'chunk', name, sealed } satisfies BackupFrame)
      }
    }
    for await (const frame of decodeFrames(exchange({ orgId, target: '/api/ops/restore', body: body(), signal }))) {
      signal.throwIfAborted()
      const message = RestoreMessage.safeParse(frame.type === 'message' ? frame.value : undefined)
      if (!message.success) throw fail('daemon_unreachable', { reason: 'AnswerInvalid' })
      if (message.data.kind === 'failed') throw told(message.data.failure)
      if (message.data.kind === 'done') return message.data.summary
    }
    throw fail('stream_reset')
  }

  return {
    receive: (backup: Backup) => inTime(limits.ms, backup.signal, (signal) => receiveAll({ ...backup, signal })),
    send: (restore: Restore) => inTime(limits.ms, restore.signal, (signal) => sendAll({ ...restore, signal })),
  }
}

export type TransferBackup = ReturnType<typeof createTransferBackup>

/** Ends a transfer whose daemon is not done in time, for instance one that tells of its progress for ever. */
async function inTime<T>(ms: number, signal: AbortSignal, transfer: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ms)
  try {
    return await transfer(AbortSignal.any([signal, late]))
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    throw fail('daemon_unreachable', { reason: 'TransferTooSlow' }, { cause: error })
  }
}

type Amounts = Omit<TransferLimits, 'ms'> & { sentChunks: number }

/** Counts what a daemon has sent; throws payload_too_large when it sends more than the limits allow. */
function roomIn({ chunks, manifestParts, sealedBytes }: TransferLimits) {
  const most: Amounts = { chunks, manifestParts, sealedBytes, sentChunks: chunks }
  const used: Amounts = { chunks: 0, manifestParts: 0, sealedBytes: 0, sentChunks: 0 }
  return {
    take: (amounts: Partial<Amounts>): void => {
      for (const name of Object.keys(amounts) as (keyof Amounts)[]) {
        used[name] += amounts[name] ?? 0
        if (used[name] > most[name]) throw fail('payload_too_large', { limit: name, most: most[name] })
      }
    },
  }
}

/** Failure codes that a daemon may report; any other is a bug of the daemon. */
const TOLD = new Set([
  'backup_broken',
  'payload_too_large',
  'storage_full',
  'storage_failed',
  'storage_read_only',
  'disk_away',
  'too_many_open_files',
  'file_access_denied',
  'invalid_request',
  'stream_reset',
])

function told({ code, reason }: { code: string; reason?: string | undefined }) {
  const known = TOLD.has(code) && Object.hasOwn(errorCatalogue, code)
  const details = reason !== undefined && /^[A-Z][A-Za-z]{1,60}$/.test(reason) ? { reason } : undefined
  return known ? fail(code as ErrorCode, details) : fail('daemon_unreachable', { reason: 'DaemonFailed' })
}

/** Runs a few uploads at a time; the first failure ends the transfer. */
function createUploads() {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const check = () => {
    if (failure) throw failure.error
  }
  return {
    add: async (upload: () => Promise<void>): Promise<void> => {
      check()
      const one = upload()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(one))
      running.add(one)
      if (running.size >= UPLOADS) await Promise.race(running)
      check()
    },
    done: async (): Promise<void> => {
      await Promise.all(running)
      check()
    },
  }
}
