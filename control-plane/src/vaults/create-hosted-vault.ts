import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Membership } from '../http/guards.ts'

type NewVault = { displayName: string; slug: string }
export type CreateHostedVaultDeps = {
  askDaemon(request: { orgId: string; userId: string; vault: NewVault }): Promise<{ id: string; displayName: string }>
  wake(orgId: string): Promise<boolean>
}

/** Asks the hosted daemon to create a vault. A sleeping daemon is woken; the caller repeats the request. */
export function createHostedVault({ askDaemon, wake }: CreateHostedVaultDeps) {
  return async ({ organization }: Membership, userId: string, vault: NewVault) => {
    if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
    try {
      return await askDaemon({ orgId: organization.id, userId, vault })
    } catch (error) {
      if (!isFailure(error, 'daemon_offline')) throw error
      await wake(organization.id)
      throw fail('daemon_waking')
    }
  }
}
