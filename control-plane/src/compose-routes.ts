import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { createOrganizationTurns } from './db/organization-turns.ts'
import { downloadsRoutes } from './downloads/downloads.routes.ts'
import { createGuards } from './http/guards.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { outboxRoutes } from './mail/outbox.routes.ts'
import type { Outbox } from './mail/outbox.ts'
import { needsCode } from './organization-lifecycle/provision-organization.ts'
import { setupRepository } from './setup/setup.repository.ts'
import { setupRoutes } from './setup/setup.routes.ts'
import type { Domains } from './compose-domains.ts'
import type { ControlPlaneDeps } from './control-plane-deps.ts'

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../dist')
/** In local and test environments, one client address stands for many people. */
const RELAXED_LIMITS = 50

type Served = {
  deps: Pick<ControlPlaneDeps, 'config' | 'db' | 'clock'>
  domains: Domains
  /** The outbox page, if it is enabled. */
  outbox: Outbox | undefined
}

/** Every route of the API with its guards. A process with the role `mcp` mounts only the routes of agents. */
export function composeRoutes({ deps: { config, db, clock }, domains, outbox }: Served): FastifyPluginAsyncZod[] {
  const { baseUrl, operatorOrg } = config
  const { accounts, agents, audit, backups, changes, checkImage, counters, daemonKeys, effects, entry, gateway } =
    domains
  const { inventory, lifecycle, managed, operations, organizations, rollouts, tunnels, vaults } = domains
  const { limits, vaultsOf, wakeHosted, wakeSettling } = domains
  const hasTwoFactor = config.systemAdminsNeedTwoFactor ? accounts.hasTwoFactor : undefined
  const guards = createGuards({
    findSession: accounts.findSession,
    findMembership: organizations.findMembership,
    clock,
    sessionCookie: accounts.cookieName,
    operatorOrg,
    adminToken: config.adminToken,
    rateLimit: createRateLimit(counters),
    hasTwoFactor,
  })
  const rateLimit = createRateLimit(counters, needsCode(config.environment) ? 1 : RELAXED_LIMITS)

  const changeOrganization = accounts.changeOrganization({
    findMember: organizations.findMember,
    recordAudit: audit.insertIn,
  })

  const agentRoutes = agents?.routes({ guards, rateLimit }) ?? []
  if (config.role === 'mcp') return agentRoutes
  return [
    downloadsRoutes({
      guards,
      baseUrl,
      root: config.downloads.root ?? join(DIST, 'download'),
      image: config.downloads.image,
    }),
    ...accounts.routes({
      guards,
      rateLimit,
      findMembership: organizations.findMembership,
      checkInvitation: organizations.checkInvitation(accounts),
      acceptInvitation: organizations.acceptInvitation,
      sendInvitation: organizations.sendInvitation,
      organizationChanges: organizations.changes,
      findOrganizationOfInvitation: organizations.findOrganizationOfInvitation,
      listOrganizations: organizations.list,
      listAdmissionOffers: organizations.listOffers,
      changeOrganization,
      changeInTurn: createOrganizationTurns({ db, connections: config.databasePool }),
      recordAuditIn: audit.insertIn,
    }),
    ...organizations.routes({
      guards,
      rateLimit,
      changeOrganization,
      renewSession: accounts.renewSession,
      hasProvenAccount: accounts.hasProvenAccount,
      createProvenAccount: accounts.createProvenAccount,
    }),
    ...lifecycle.routes({ guards, rateLimit }),
    setupRoutes({
      guards,
      rateLimit,
      setup: setupRepository(db, clock),
      operatorOrg,
      renewSession: accounts.renewSession,
    }),
    ...managed.routes({
      guards,
      isConnected: async (orgId) => (await tunnels.status(orgId)).connected,
      wake: wakeHosted,
      recordAudit: audit.insertIn,
      findBackupState: backups?.findState,
    }),
    changes.routes({ guards, hasTwoFactor }),
    ...vaults.routes({ guards, rateLimit, findMembership: organizations.findMembership }),
    ...daemonKeys.routes({ guards, rateLimit, recordAudit: audit.insertIn }),
    ...entry.routes({
      guards,
      rateLimit,
      rotateEveryDays: config.signingKeyDays,
      recordAudit: audit.insertIn,
      findDaemonId: daemonKeys.findDaemonId,
      listVaults: vaultsOf,
      reach: gateway.reach,
    }),
    ...inventory.routes(guards),
    ...limits.routes({
      guards,
      findOrganization: organizations.find,
      recordAudit: audit.insertIn,
      changed: wakeSettling,
    }),
    ...operations.routes(guards, organizations.find),
    ...audit.routes({ guards, rateLimit }),
    ...(effects?.routes({
      guards,
      run: operations.run,
      findOrganization: organizations.find,
      findOperation: operations.find,
    }) ?? []),
    ...(backups?.routes({
      guards,
      run: operations.run,
      findOrganization: organizations.find,
      recordAudit: audit.insertIn,
    }) ?? []),
    ...(rollouts?.routes({ guards, checkImage }) ?? []),
    ...(outbox === undefined ? [] : [outboxRoutes({ outbox, baseUrl })]),
    ...agentRoutes,
  ]
}
