import type { Clock } from '@svc/shared/kit/clock.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import type { Db } from '../db/database.ts'
import { revocationsRepository } from './revocations.repository.ts'
import { assertionUses, type AssertionUse, type SigningKeys } from './signing-keys.ts'

export type RecordAuditIn = (trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>) => Promise<void>

type Deps = { db: Db; clock: Clock; signingKeys: SigningKeys; recordAudit: RecordAuditIn }

type Rotation = {
  actor: AuditRecord['actor']
  reason: string
  /** `with_overlap`: the new key is published before it signs. `at_once`: the old key is withdrawn. */
  how: 'with_overlap' | 'at_once'
}

export type RotateSigningKeys = ReturnType<typeof createRotateSigningKeys>

const DAY_MS = 86_400_000

/** Replaces the keys that sign assertions, by hand or when they are old. Each rotation is audited on the platform's chain. */
export function createRotateSigningKeys({ db, clock, signingKeys, recordAudit }: Deps) {
  const record = (trx: Db, { actor, reason, how }: Rotation, uses: readonly AssertionUse[]) =>
    recordAudit(trx, 'platform', {
      event: how === 'at_once' ? 'signing_keys.replaced' : 'signing_keys.rotated',
      actor,
      reason,
      subject: uses.join(' '),
      outcome: 'done',
    })

  return {
    /** Replaces the keys of all kinds. */
    rotate: async (rotation: Rotation): Promise<void> => {
      await db.transaction().execute(async (trx) => {
        for (const use of assertionUses) await signingKeys.replaceIn(trx, use, rotation.how)
        if (rotation.how === 'at_once')
          await revocationsRepository(trx, clock).insert({ kind: 'signing_keys', subject: 'all' })
        await record(trx, rotation, assertionUses)
      })
      signingKeys.forget()
    },

    /**
     * Replaces keys older than `days` and returns their uses. If several replicas find a key too old, only one replaces
     * it.
     */
    rotateOlderThan: async (days: number): Promise<AssertionUse[]> => {
      const before = new Date(clock.now().getTime() - days * DAY_MS)
      const replaced = await db.transaction().execute(async (trx) => {
        const uses: AssertionUse[] = []
        for (const use of assertionUses) if (await signingKeys.replaceOlderIn(trx, use, before)) uses.push(use)
        const rotation: Rotation = {
          actor: { kind: 'system', id: 'schedule' },
          reason: `Older than ${days} days.`,
          how: 'with_overlap',
        }
        if (uses.length > 0) await record(trx, rotation, uses)
        return uses
      })
      signingKeys.forget()
      return replaced
    },
  }
}
