import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { BackupCatalog } from './backup-catalog.ts'
import { leftBackupsRepository } from './left-backups.repository.ts'

export type RecordAuditIn = (trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>) => Promise<void>

type Deps = {
  db: Db
  catalog: Pick<BackupCatalog, 'deleteAll'>
  /** For how long backups outlive their organization: it may have been deleted by mistake. */
  keepDays: number
  recordAudit: RecordAuditIn
  clock: Clock
  log: Log
}

const DAY_MS = 86_400_000
const LOOK_MS = 3_600_000

/** Deletes the backups of organizations that were deleted a while ago. Any number of workers may run it. */
export function createDeleteLeftBackups({ db, catalog, keepDays, recordAudit, clock, log }: Deps) {
  const left = leftBackupsRepository(db, clock)

  const deleteOf = async (orgId: string, signal: AbortSignal): Promise<void> => {
    // Recorded first: after a crash, the next sweep may find nothing any more, but still has to audit the deletion.
    const count = await catalog.deleteAll({ orgId, found: () => left.updateFound(orgId), signal })
    await db.transaction().execute(async (trx) => {
      if ((await left.updateDeleted(trx, orgId)) !== 'found') return
      await recordAudit(trx, 'platform', {
        event: 'backups.deleted',
        actor: { kind: 'system', id: 'backup-schedule' },
        reason: `${keepDays} days after the organization was deleted`,
        subject: orgId,
        outcome: 'done',
      })
    })
    if (count > 0) log.info({ orgId, count }, 'the backups of a deleted organization are deleted')
  }

  const sweep = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const orgId = await left.claim(new Date(clock.now().getTime() - keepDays * DAY_MS))
      if (orgId === undefined) return
      await deleteOf(orgId, signal).catch((err: unknown) => {
        if (signal.aborted) return
        log.warn({ err: isFailure(err) ? err.code : err, orgId }, 'the backups of a deleted organization remain')
      })
    }
  }

  return {
    sweep,
    start: (): (() => Promise<void>) => {
      const name = 'backups that are left'
      const { start, close } = repeat({ everyMs: LOOK_MS, task: sweep, first: 'at_once', clock, log, name })
      start()
      return close
    },
  }
}
