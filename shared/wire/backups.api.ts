import { z } from 'zod'
import { BackupId } from './daemon/daemon-backups.api.ts'

const time = z.iso.datetime()
const count = z.number().int().min(0)

/** A backup as people see it: when, how large, and whether it is one moment of the daemon. */
export const BackupView = z.object({
  backupId: BackupId,
  takenAt: time,
  files: count,
  bytes: count,
  sentBytes: count.describe('Bytes that had to be sent; the rest was stored already.'),
  settled: z.boolean().describe('Nothing changed while it was taken.'),
})
export type BackupView = z.infer<typeof BackupView>

/** The state of an organization's backups. */
export const BackupState = z.object({
  everySeconds: count.describe('0: none are taken by themselves.'),
  from: z.enum(['organization', 'platform']),
  last: z
    .object({
      backupId: BackupId,
      takenAt: time,
      currentAt: time.describe(
        'Until when it is known to hold everything: later than `takenAt` if nobody used the daemon.',
      ),
      bytes: count,
      files: count,
    })
    .nullable(),
  verified: z
    .object({ backupId: BackupId, verifiedAt: time })
    .nullable()
    .describe('The newest backup that a drill has restored and proved.'),
  problem: z
    .object({
      of: z.enum(['backup', 'drill']).optional().describe('What failed. Absent: an earlier version recorded it.'),
      code: z.string(),
      reason: z.string().optional(),
      at: time,
    })
    .nullable()
    .describe('Why the last backup or drill failed; null once one of the same kind has succeeded.'),
  awaitsRestore: z
    .boolean()
    .describe(
      'The daemon was reinstalled, so its volume may be empty: none are taken by themselves until a system admin restores a backup or takes one.',
    ),
})
export type BackupState = z.infer<typeof BackupState>

/** Null: the platform's default; 0: never. */
export const BackupScheduleRequest = z.strictObject({
  seconds: z.number().int().min(3600).max(2_592_000).or(z.literal(0)).nullable(),
})
export const BackupScheduleResult = z.object({
  ok: z.literal(true),
  everySeconds: count,
  from: z.enum(['organization', 'platform']),
})
