import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Guards } from '../http/guards.ts'
import type { Relay } from '../relay/relay.ts'
import { createHostedVault, type CreateHostedVaultDeps } from './create-hosted-vault.ts'
import { listVaults, type ListVaultsDeps } from './list-vaults.ts'
import { registerRelay, type RegisterRelayDeps } from './register-relay.ts'
import { vaultsRoutes } from './vaults.routes.ts'

type Deps = RegisterRelayDeps &
  Pick<ListVaultsDeps, 'listOrganizations' | 'findHostedState'> &
  Pick<CreateHostedVaultDeps, 'wake'> & {
    guards: Guards
    relay: Pick<Relay, 'daemonClient' | 'status'>
  }

/** The routes of vaults: everything about them is asked of their daemons. */
export function createVaults({ guards, relay, ...deps }: Deps): FastifyPluginAsyncZod {
  return vaultsRoutes({
    guards,
    listVaults: listVaults({
      ...deps,
      askDaemon: async ({ orgId, userId }) => (await relay.daemonClient(orgId).listVaults({ user: userId })).vaults,
    }),
    registerRelay: registerRelay(deps),
    createHostedVault: createHostedVault({
      ...deps,
      askDaemon: async ({ orgId, userId, vault }) =>
        (await relay.daemonClient(orgId).createVault({ user: userId }, vault)).vault,
    }),
    readDaemonStatus: relay.status,
  })
}
