import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import {
  CreateHostedVaultRequest,
  DaemonControlStatus,
  HostedVaultCreated,
  OrgParams,
  RelayRegistration,
  RelayRegistrationRequest,
  VaultsByOrganization,
} from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { z } from 'zod'
import type { Guards } from '../http/guards.ts'
import { limitByAddress, type RateLimit } from '../http/rate-limit.ts'
import type { createHostedVault } from './create-hosted-vault.ts'
import type { createListVaults } from './list-vaults.ts'
import type { createRegisterRelay } from './register-relay.ts'

type Deps = {
  guards: Guards
  rateLimit: RateLimit
  listVaults: ReturnType<typeof createListVaults>
  registerRelay: ReturnType<typeof createRegisterRelay>
  createHostedVault: ReturnType<typeof createHostedVault>
  readDaemonStatus(orgId: string): Promise<z.input<typeof DaemonControlStatus>['daemon']>
}

/** Registrations that one client address may request: each makes a daemon key. */
const REGISTRATIONS = { key: 'relay-registration', max: 30, seconds: 300 }

/** Vaults as their daemons report them; the control plane keeps no list of its own. */
export function vaultsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, rateLimit, listVaults, registerRelay, createHostedVault, readDaemonStatus } = deps

  return async (app) => {
    app.get(
      '/api/vaults',
      { onRequest: guards.signedIn, schema: { response: { 200: VaultsByOrganization } } },
      async ({ session }) => ({ ok: true as const, organizations: await listVaults(session.person.id) }),
    )

    app.post(
      '/api/orgs/:orgId/vaults/relay',
      {
        onRequest: [guards.member, limitByAddress(rateLimit, REGISTRATIONS)],
        schema: { params: OrgParams, body: RelayRegistrationRequest, response: { 200: RelayRegistration } },
      },
      async ({ membership, actor }, reply) => {
        const registered = await registerRelay(membership, actor)
        return reply.header('cache-control', 'no-store').send({ ok: true, ...registered })
      },
    )

    app.post(
      '/api/orgs/:orgId/vaults/hosted',
      {
        onRequest: guards.member,
        schema: { params: OrgParams, body: CreateHostedVaultRequest, response: { 201: HostedVaultCreated } },
      },
      async ({ membership, session, body }, reply) => {
        const gone = new AbortController()
        whenClosed(reply.raw, () => gone.abort())
        const { id: userId } = session.person
        const vault = await createHostedVault(membership, { userId, vault: body, signal: gone.signal })
        return reply.code(201).send({ ok: true, vault })
      },
    )

    app.get(
      '/api/orgs/:orgId/daemon/status',
      { onRequest: guards.member, schema: { params: OrgParams, response: { 200: DaemonControlStatus } } },
      async ({ membership: { organization } }) => {
        if (organization.daemonMode !== 'self_hosted') throw fail('not_self_hosted_daemon')
        return { ok: true as const, daemon: await readDaemonStatus(organization.id) }
      },
    )
  }
}
