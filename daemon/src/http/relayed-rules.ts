import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import type { Caller } from '../entry/caller.ts'
import type { RelayedAccess } from './request-caller.ts'

type Request = { caller: Caller; access: readonly RelayedAccess[]; vaultId: string | undefined }

/**
 * Whether a verified caller may use a route: the failure, or undefined. Nothing is allowed that is not listed. Pure.
 */
export function relayedProblem({ caller, access, vaultId }: Request): ServiceError | undefined {
  return access.some((one) => isAllowed(one, caller, vaultId)) ? undefined : fail('forbidden')
}

function isAllowed(access: RelayedAccess, caller: Caller, vaultId: string | undefined): boolean {
  if (caller.kind === 'service') return access === `service:${caller.claims.scope}`
  if (caller.kind === 'agent') return access === 'agent'
  const { vaults, role } = caller.claims
  switch (access) {
    case 'entered':
      return true
    case 'vault-member':
      return vaultId !== undefined && vaults.includes(vaultId)
    case 'vault-admin':
      return vaultId !== undefined && vaults.includes(vaultId) && role === 'admin'
    default:
      return false
  }
}
