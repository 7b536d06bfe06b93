import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { Membership } from '../http/guards.ts'

export type RegisterRelayDeps = {
  db: Db
  /** Makes a concurrent registration wait until the transaction ends. */
  lockOrganization(trx: Db, orgId: string): Promise<unknown>
  hasLiveKey(trx: Db, orgId: string): Promise<boolean>
  issueKey(trx: Db, orgId: string): Promise<{ apiKey: string; daemonId: string }>
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
}

/** Registers the daemon of a self-hosted organization: any member may until there is a key, then only admins. */
export function createRegisterRelay({ db, lockOrganization, hasLiveKey, issueKey, recordAudit }: RegisterRelayDeps) {
  return (
    { organization, role }: Membership,
    actor: AuditRecord['actor'],
  ): Promise<{ apiKey: string; daemonId: string }> => {
    const { id: orgId } = organization
    if (organization.daemonMode !== 'self_hosted') throw fail('not_self_hosted_daemon')
    return db.transaction().execute(async (trx) => {
      await lockOrganization(trx, orgId)
      if (role !== 'admin' && (await hasLiveKey(trx, orgId))) throw fail('forbidden')
      const key = await issueKey(trx, orgId)
      await recordAudit(trx, orgId, { event: 'daemon_key.issued', actor, orgId, subject: key.daemonId })
      return key
    })
  }
}
