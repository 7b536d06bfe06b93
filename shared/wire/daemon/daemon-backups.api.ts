import { z } from 'zod'
import { text } from '../text.ts'

/** Messages between the platform and a daemon about backups. They travel in frames (backup-frames.ts). */

export const BACKUP_BODY = 'application/vnd.svc.backup'
export const BACKUP_FORMAT = 1

const count = z.number().int().min(0)
const hex = (length: number) => text().regex(new RegExp(`^[0-9a-f]{${length}}$`))

/** Starts with the time, so that a newer backup has a greater id. */
export const BackupId = text().regex(/^bak_[0-9]{14}[a-z2-7]{10}$/, 'must be the id of a backup')
const DataKey = hex(64).describe('Seals the backups of one organization; the daemon does not keep it.')
export const ChunkName = hex(64)

/** First frame of a backup. `names` frames follow, with the chunks that are stored already. */
export const BackupRequest = z.strictObject({ format: z.literal(BACKUP_FORMAT), backupId: BackupId, key: DataKey })

/** First frame of a restore; the parts of the manifest follow in their order, then every chunk that it names. */
export const RestoreRequest = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  restoreId: text()
    .min(8)
    .max(128)
    .regex(/^[A-Za-z0-9._:-]+$/),
  backupId: BackupId,
  key: DataKey,
  purpose: z
    .enum(['replace', 'drill'])
    .describe('replace: the daemon starts again with the backup in place of its home; drill: it only proves it.'),
})
export type RestoreRequest = z.infer<typeof RestoreRequest>

export const BackupSummary = z.object({
  takenAt: z.iso.datetime().describe('Every change that was acknowledged before is in the backup.'),
  files: count,
  bytes: count,
  readBytes: count.describe('Bytes of files that had changed since the backup before.'),
  sentBytes: count.describe('Sealed bytes of chunks that were not stored yet.'),
  chunks: count,
  manifestParts: count,
  skipped: count.describe(
    'Links, devices, names that are no text and paths that are too long; they are not backed up.',
  ),
  settled: z.boolean().describe('Nothing changed while it was read: the backup is one moment of the home.'),
})
export type BackupSummary = z.infer<typeof BackupSummary>

export const RestoreSummary = z.object({ files: count, bytes: count, vaults: count })
export type RestoreSummary = z.infer<typeof RestoreSummary>

const failure = z.object({ code: z.string(), reason: z.string().optional() })
/**
 * Messages in the response of a backup. Chunks and the parts of the manifest come in between, and `names` frames with
 * all chunks of the backup.
 */
export const BackupMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), files: count, bytes: count }),
  z.object({ kind: z.literal('done'), summary: BackupSummary }),
  z.object({ kind: z.literal('failed'), failure }),
])
export type BackupMessage = z.infer<typeof BackupMessage>

/** Messages in the response of a restore. */
export const RestoreMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), files: count, bytes: count }),
  z.object({ kind: z.literal('done'), summary: RestoreSummary }),
  z.object({ kind: z.literal('failed'), failure }),
])
export type RestoreMessage = z.infer<typeof RestoreMessage>

/** The restore that last filled a home; null when there was none. */
export const LastRestore = z.object({
  ok: z.literal(true),
  restore: z
    .object({ restoreId: z.string(), backupId: z.string(), at: z.iso.datetime(), summary: RestoreSummary })
    .nullable(),
})
export type LastRestore = z.infer<typeof LastRestore>
