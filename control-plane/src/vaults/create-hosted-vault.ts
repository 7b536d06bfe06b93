import { fail } from '@svc/shared/wire/errors.ts'
import type { Membership } from '../http/guards.ts'

type NewVault = { displayName: string; slug: string }
export type CreateHostedVaultDeps = {
  askDaemon(request: { orgId: string; userId: string; vault: NewVault }): Promise<{ id: string; displayName: string }>
  /** Waits until the daemon is connected, and wakes one that sleeps; fails with `daemon_offline` or `daemon_waking`. */
  reach(wanted: { orgId: string; person: string; signal: AbortSignal }): Promise<void>
}
type Request = { userId: string; vault: NewVault; signal: AbortSignal }

/** Asks the hosted daemon to create a vault, and wakes it first if it sleeps. */
export function createHostedVault({ askDaemon, reach }: CreateHostedVaultDeps) {
  return async ({ organization }: Membership, { userId, vault, signal }: Request) => {
    if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
    await reach({ orgId: organization.id, person: userId, signal })
    return askDaemon({ orgId: organization.id, userId, vault })
  }
}
