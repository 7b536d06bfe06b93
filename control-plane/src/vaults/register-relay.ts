import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { Membership } from '../http/guards.ts'

export type RegisterRelayDeps = {
  db: Db
  /** Makes a concurrent registration wait until the transaction ends. */
  lockOrganization(trx: Db, orgId: string): Promise<unknown>
  hasLiveKey(trx: Db, orgId: string): Promise<boolean>
  issueKey(trx: Db, orgId: string): Promise<{ apiKey: string; daemonId: string }>
}

/** Registers the daemon of a self-hosted organization: any member may until there is a key, then only admins. */
export function createRegisterRelay({ db, lockOrganization, hasLiveKey, issueKey }: RegisterRelayDeps) {
  return ({ organization, role }: Membership): Promise<{ apiKey: string; daemonId: string }> => {
    if (organization.daemonMode !== 'self_hosted') throw fail('not_self_hosted_daemon')
    return db.transaction().execute(async (trx) => {
      await lockOrganization(trx, organization.id)
      if (role !== 'admin' && (await hasLiveKey(trx, organization.id))) throw fail('forbidden')
      return issueKey(trx, organization.id)
    })
  }
}
