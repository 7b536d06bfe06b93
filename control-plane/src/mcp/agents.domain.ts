import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { AuditChain } from '@svc/shared/wire/audit.api.ts'
import type { Accounts } from '../accounts/accounts.domain.ts'
import type { Audit } from '../audit/audit.domain.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Gateway } from '../gateway/gateway.domain.ts'
import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { createIntegrations } from '../integrations/integrations.domain.ts'
import { createMcp } from './mcp.domain.ts'
import { createFetchDocument, type FetchDocument } from '../oauth/fetch-document.ts'
import { createOAuth } from '../oauth/oauth.domain.ts'
import { resourceOf } from '../oauth/oauth-metadata.ts'
import type { Organizations } from '../organizations/organizations.domain.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import type { Vaults } from '../vaults/vaults.domain.ts'

type Deps = {
  config: Pick<Config, 'baseUrl' | 'role' | 'mcp' | 'authSecret' | 'authSecretPrevious'>
  db: Db
  clock: Clock
  log: Log
  accounts: Accounts
  organizations: Organizations
  audit: Audit
  tunnels: DaemonTunnels
  gateway: Gateway
  vaults: Vaults
  fetchDocument: FetchDocument | undefined
}
type RouteDeps = { guards: Guards; rateLimit: RateLimit }

const VERSION = '1'

/**
 * Members' agents, where the operator enabled them: sign-in of programs, approval by organizations, the MCP endpoint.
 */
export function createAgents({ config, db, clock, log, fetchDocument, ...parts }: Deps) {
  const { accounts, organizations, audit, tunnels, gateway, vaults } = parts
  const { baseUrl, role, mcp: settings, authSecret: secret } = config
  const oauth = createOAuth({
    db,
    clock,
    log,
    baseUrl,
    registration: settings.registration,
    secret,
    previousSecret: config.authSecretPrevious,
    options: accounts.authOptions(),
    fetchDocument: fetchDocument ?? createFetchDocument(),
  })
  const integrations = createIntegrations({
    db,
    clock,
    endpoint: resourceOf(baseUrl),
    recordAudit: audit.insertIn,
    listUndone: ({ orgId, userId, signal }) => tunnels.daemonClient(orgId).listUndone({ user: userId }, signal),
  })
  let mcp: ReturnType<typeof createMcp> | undefined

  return {
    routes: ({ guards, rateLimit }: RouteDeps): FastifyPluginAsyncZod[] => {
      mcp = createMcp({
        db,
        clock,
        log,
        baseUrl,
        version: VERSION,
        secret,
        previousSecret: config.authSecretPrevious,
        oauth,
        integrations,
        reach: gateway.reach,
        agentClient: tunnels.agentClient,
        recordWrite: ({ orgId, userId, client, integration }) =>
          audit.insert(orgId as AuditChain, {
            event: 'agents.write',
            actor: { kind: 'mcp_client', id: userId },
            orgId,
            client,
            subject: integration.slice(0, 128),
          }),
        rateLimit,
      })
      const programs = [
        ...oauth.routes({
          guards,
          rateLimit,
          findSession: accounts.findSession,
          listVaults: vaults.list,
          listOrganizations: organizations.list,
        }),
        ...mcp.routes(),
      ]
      if (role === 'mcp') return programs
      const pages = oauth.pages({
        guards,
        findUndone: integrations.findUndone,
        listOrganizations: organizations.list,
      })
      return [...programs, ...pages, ...integrations.routes(guards)]
    },
    deleteExpired: async (): Promise<void> => {
      await oauth.deleteUnused()
      await mcp?.deleteExpired()
    },
    resealClientSecrets: oauth.resealClientSecrets,
    close: async (): Promise<void> => mcp?.close(),
  }
}
