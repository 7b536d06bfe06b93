import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import type { Db } from '../db/database.ts'
import { deriveAuditKey, endorse } from './audit-key.ts'
import { auditRepository } from './audit.repository.ts'
import { exportAudit } from './export-audit.ts'
import { sealAudit } from './seal-audit.ts'
import { verifyAudit } from './verify-audit.ts'

/** The actor for commands at the terminal of the platform, where nobody signs in. */
export const TERMINAL = { kind: 'system', id: 'terminal' } as const

export type AuditTrail = ReturnType<typeof createAuditTrail>
export type AuditDeps = { db: Db; clock: Clock; log: Log; secret: Secret; previousSecret?: Secret | undefined }

const UPKEEP_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

/** The audit: append, read, verify, seal, export. `secret` derives the signing key and stays outside the database. */
export function createAuditTrail({ db, clock, log, secret, previousSecret }: AuditDeps) {
  const repository = auditRepository(db, clock)
  const key = deriveAuditKey(secret)
  const verify = verifyAudit({ repository, key })
  const seal = sealAudit({ repository, key, clock, log, verify })
  const upkeep = async (retentionDays: number | undefined, signal: AbortSignal): Promise<void> => {
    await seal.checkpoint(signal)
    if (retentionDays === undefined) return
    await seal.retain(new Date(clock.now().getTime() - retentionDays * DAY_MS), signal)
  }

  return {
    insert: repository.insert,
    /** Appends to a chain, in the caller's transaction. */
    insertIn: (trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>) =>
      auditRepository(trx, clock).insert(chain, record),
    listBefore: repository.listBefore,
    listChains: repository.listChains,
    verify,
    exportChain: exportAudit({ repository, key, signExported: seal.signExported }),
    checkpoint: seal.checkpoint,
    retain: seal.retain,
    publicKey: key.publicKey,

    /** Signs the key of the previous secret, so that its signatures still verify after that secret is removed. */
    adoptSecret: async (): Promise<void> => {
      const earlier = previousSecret && deriveAuditKey(previousSecret)
      if (earlier !== undefined && earlier.id !== key.id) await repository.insertEndorsement(endorse(key, earlier))
    },

    /**
     * Signs the chains at start and every hour, and removes old rows where retention is configured. Returns the
     * function that stops it, also amid a long chain.
     */
    startUpkeep: (retentionDays: number | undefined): (() => Promise<void>) => {
      const task = (signal: AbortSignal) => upkeep(retentionDays, signal)
      const { start, close } = repeat({
        everyMs: UPKEEP_EVERY_MS,
        task,
        first: 'at_once',
        clock,
        log,
        name: 'upkeep of the audit',
      })
      start()
      return close
    },
  }
}
