import { fail } from '@svc/shared/wire/errors.ts'
import type { Reach, Reached } from '../gateway/gateway.domain.ts'
import type { GuardFinders, Membership } from '../http/guards.ts'

type NewVault = { displayName: string; slug: string }
export type CreateHostedVaultDeps = {
  askDaemon(request: { orgId: string; userId: string; vault: NewVault }): Promise<{ id: string; displayName: string }>
  /** Waits until the daemon is connected, and wakes one that sleeps; fails with `daemon_offline` or `daemon_waking`. */
  reach(wanted: Reach): Promise<Reached>
  findMembership: GuardFinders['findMembership']
}
type Request = { userId: string; vault: NewVault; signal: AbortSignal }

/** Asks the hosted daemon to create a vault, and wakes it first if it sleeps. */
export function createHostedVault({ askDaemon, reach, findMembership }: CreateHostedVaultDeps) {
  return async ({ organization }: Membership, { userId, vault, signal }: Request) => {
    if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
    const { id: orgId } = organization
    const reached = await reach({ orgId, person: userId, signal })
    // The person may have been removed meanwhile.
    if (reached === 'waited' && (await findMembership({ userId, orgId })) === undefined) throw fail('not_found')
    return askDaemon({ orgId, userId, vault })
  }
}
