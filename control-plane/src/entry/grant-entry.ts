import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import { mintEntryAssertion } from './mint-assertion.ts'
import type { Signer } from './signing-keys.ts'

type EntryRequest = {
  orgId: string
  vault: string
  user: { id: string; name: string }
  sessionId: string
  role: Role
}
export type GrantEntryDeps = {
  sign: Signer
  originOf(orgId: string): Promise<string>
  findDaemonId(orgId: string): Promise<string | undefined>
  /** Asks the daemon itself; fails with `daemon_offline` where it is away. */
  listVaults(orgId: string, userId: string): Promise<{ id: string }[]>
  /** Wakes a hosted daemon that sleeps; false where waiting is no use. */
  wake(orgId: string): Promise<boolean>
}

type WakeDeps = {
  findHostedState(orgId: string): Promise<string>
  wake(orgId: string): Promise<unknown>
}

/** Wakes the daemon of a member who enters; false for a daemon that is not hosted or has failed. */
export function wakeForEntry({ findHostedState, wake }: WakeDeps) {
  return async (orgId: string): Promise<boolean> => {
    const state = await findHostedState(orgId)
    if (state === 'sleeping') await wake(orgId)
    return state !== 'not_hosted' && state !== 'failed'
  }
}

/** Admits a member, whose membership was checked, to a vault that the daemon really has. */
export function grantEntry({ sign, originOf, findDaemonId, listVaults, wake }: GrantEntryDeps) {
  const listAwake = async (orgId: string, userId: string) => {
    try {
      return await listVaults(orgId, userId)
    } catch (error) {
      if (!isFailure(error, 'daemon_offline')) throw error
      throw (await wake(orgId)) ? fail('daemon_waking', undefined, { retryAfterSeconds: 2 }) : error
    }
  }

  return async ({ orgId, vault, user, sessionId, role }: EntryRequest) => {
    const vaults = await listAwake(orgId, user.id)
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
