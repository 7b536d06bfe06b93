import { fail } from '@svc/shared/wire/errors.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import { mintEntryAssertion } from './mint-assertion.ts'
import type { Signer } from './signing-keys.ts'

type EntryRequest = {
  orgId: string
  vault: string
  user: { id: string; name: string }
  sessionId: string
  role: Role
  /** Aborts when the caller no longer waits for the entry. */
  signal: AbortSignal
}
export type GrantEntryDeps = {
  sign: Signer
  originOf(orgId: string): Promise<string>
  findDaemonId(orgId: string): Promise<string | undefined>
  /** Queries the daemon itself. */
  listVaults(orgId: string, userId: string): Promise<{ id: string }[]>
  /**
   * Waits until the daemon is connected, and wakes a hosted one that sleeps; fails with `daemon_offline` or
   * `daemon_waking`.
   */
  reach(wanted: { orgId: string; person: string; signal: AbortSignal }): Promise<unknown>
}

/** Admits a member, whose membership was checked, to a vault that exists on the daemon. */
export function grantEntry({ sign, originOf, findDaemonId, listVaults, reach }: GrantEntryDeps) {
  return async ({ orgId, vault, user, sessionId, role, signal }: EntryRequest) => {
    await reach({ orgId, person: user.id, signal })
    const vaults = await listVaults(orgId, user.id)
    if (!vaults.some(({ id }) => id === vault)) throw fail('not_found')
    const daemonId = await findDaemonId(orgId)
    if (daemonId === undefined) throw fail('daemon_offline')

    const vaultOrigin = await originOf(orgId)
    const { text, expiresAt } = await mintEntryAssertion(sign, {
      vaultOrigin,
      user,
      sessionId,
      orgId,
      daemonId,
      vault,
      role,
    })
    return { url: `${vaultOrigin}/_svc/enter`, assertion: text, expiresAt: expiresAt.toISOString() }
  }
}
