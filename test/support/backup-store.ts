import { decodeFrames, encodeFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import {
  BACKUP_BODY,
  BackupMessage,
  RestoreMessage,
  type BackupSummary,
  type RestoreSummary,
} from '@svc/shared/wire/daemon/daemon-backups.api.ts'

/** A backup as the platform stores it. */
export type KeptBackup = { backupId: string; manifest: Buffer[]; chunks: string[]; summary: BackupSummary }

export const dataKey = 'a1'.repeat(32)
export const backupIdAt = (n: number) => `bak_202601010000${String(n).padStart(2, '0')}aaaaaaaaaa`

type Place = { url: string }
type Failure = { code: string; reason?: string }

/**
 * Stores the chunks of an organization and speaks the platform's side of the frames, as the worker does, over plain
 * HTTP.
 */
export function createBackupStore({ key = dataKey } = {}) {
  const chunks = new Map<string, Buffer>()
  let sent = 0

  return {
    chunks,
    /** How many chunks were received so far. */
    sent: () => sent,

    /**
     * Takes a backup; throws the failure that the daemon reports. With `until`, the request is aborted after that many
     * chunks.
     */
    backup: async (daemon: Place, backupId: string, { until = Infinity } = {}): Promise<KeptBackup | undefined> => {
      const body = Buffer.concat([
        encodeFrame({ type: 'message', value: { format: 1, backupId, key } }),
        encodeFrame({ type: 'names', names: [...chunks.keys()] }),
      ])
      const answer = await post(daemon, '/api/ops/backup', body)
      const kept: Omit<KeptBackup, 'summary'> = { backupId, manifest: [], chunks: [] }
      let seen = 0
      for await (const frame of decodeFrames(answer.body as unknown as AsyncIterable<Buffer>)) {
        if (frame.type === 'chunk') {
          chunks.set(frame.name, Buffer.from(frame.sealed))
          sent += 1
          if (++seen >= until) return undefined
        } else if (frame.type === 'manifest') kept.manifest.push(Buffer.from(frame.sealed))
        else if (frame.type === 'names') kept.chunks.push(...frame.names)
        else {
          const message = BackupMessage.parse(frame.value)
          if (message.kind === 'failed') throw toldFailure(message.failure)
          if (message.kind === 'done') return { ...kept, summary: message.summary }
        }
      }
      throw new Error('the backup ended without a word')
    },

    restore: async (
      daemon: Place,
      kept: Pick<KeptBackup, 'backupId' | 'manifest' | 'chunks'>,
      { purpose = 'replace', restoreId = 'restore-1' }: { purpose?: 'replace' | 'drill'; restoreId?: string } = {},
    ): Promise<RestoreSummary> => {
      const value = { format: 1, restoreId, backupId: kept.backupId, key, purpose }
      const body = Buffer.concat([
        encodeFrame({ type: 'message', value }),
        ...kept.manifest.map((sealed) => encodeFrame({ type: 'manifest', sealed })),
        ...kept.chunks.flatMap((name) => {
          const sealed = chunks.get(name)
          return sealed ? [encodeFrame({ type: 'chunk', name, sealed })] : []
        }),
      ])
      const answer = await post(daemon, '/api/ops/restore', body)
      for await (const frame of decodeFrames(answer.body as unknown as AsyncIterable<Buffer>)) {
        const message = RestoreMessage.parse(frame.type === 'message' ? frame.value : undefined)
        if (message.kind === 'failed') throw toldFailure(message.failure)
        if (message.kind === 'done') return message.summary
      }
      throw new Error('the restore ended without a word')
    },
  }
}

async function post({ url }: Place, path: string, body: Buffer): Promise<Response> {
  const headers = { 'content-type': BACKUP_BODY, accept: BACKUP_BODY }
  const answer = await fetch(url + path, { method: 'POST', headers, body: body as unknown as BodyInit })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return answer
}

const toldFailure = ({ code, reason }: Failure) => new Error(reason === undefined ? code : `${code}: ${reason}`)
