import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { createHostedVault, type CreateHostedVaultDeps } from './create-hosted-vault.ts'
import { createListVaults, type ListVaultsDeps } from './list-vaults.ts'
import { createRegisterRelay, type RegisterRelayDeps } from './register-relay.ts'
import { vaultsRoutes } from './vaults.routes.ts'

type Deps = RegisterRelayDeps &
  Pick<ListVaultsDeps, 'listOrganizations' | 'findHostedState'> &
  Pick<CreateHostedVaultDeps, 'reach'> & {
    tunnels: Pick<DaemonTunnels, 'daemonClient' | 'status'>
  }
type RouteDeps = Pick<CreateHostedVaultDeps, 'findMembership'> & { guards: Guards; rateLimit: RateLimit }

export type Vaults = ReturnType<typeof createVaults>

/** Vaults. The control plane stores no list of them: it queries their daemons. */
export function createVaults({ tunnels: { daemonClient, status }, ...deps }: Deps) {
  const list = createListVaults({
    ...deps,
    askDaemon: async ({ orgId, userId, signal }) =>
      (await daemonClient(orgId).listVaults({ user: userId }, signal)).vaults,
  })
  return {
    /** The vaults of a person by organization, as far as their daemons respond. Wakes none. */
    list,
    routes: ({ guards, rateLimit, findMembership }: RouteDeps) => [
      vaultsRoutes({
        guards,
        rateLimit,
        listVaults: list,
        registerRelay: createRegisterRelay(deps),
        createHostedVault: createHostedVault({
          ...deps,
          findMembership,
          askDaemon: async ({ orgId, userId, vault }) =>
            (await daemonClient(orgId).createVault({ user: userId }, vault)).vault,
        }),
        readDaemonStatus: status,
      }),
    ],
  }
}
