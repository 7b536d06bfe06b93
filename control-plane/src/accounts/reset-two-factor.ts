import type { Clock } from '@svc/shared/kit/clock.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'

export type ResetDeps = {
  db: Db
  clock: Pick<Clock, 'now'>
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
  sendNotice(notice: 'two-factor-reset', to: string): void
}
type Request = { email: string; reason: string; actor: AuditRecord['actor'] }

export type ResetTwoFactor = (request: Request) => Promise<{ userId: string }>

/** For somebody who lost both phone and recovery codes: removes the second factor until they set it up again. */
export function createResetTwoFactor({ db, clock, recordAudit, sendNotice }: ResetDeps): ResetTwoFactor {
  const secondFactors = secondFactorsRepository(db, clock)
  return async ({ email, reason, actor }) => {
    const userId = await secondFactors.reset(email, (trx, subject) =>
      recordAudit(trx, 'platform', { event: 'accounts.two_factor_reset', actor, subject, reason }),
    )
    if (userId === undefined)
      throw fail('not_found', undefined, { message: 'Nobody with this address has two-factor sign-in.' })
    sendNotice('two-factor-reset', email)
    return { userId }
  }
}
