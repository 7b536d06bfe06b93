import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { toolDefinitions } from '@svc/shared/wire/mcp/tools.ts'
import type { Db } from '../db/database.ts'
import type { Membership } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Gateway } from '../gateway/gateway.domain.ts'
import type { Integrations } from '../integrations/integrations.domain.ts'
import type { OAuth } from '../oauth/oauth.domain.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { createAgentCaller } from './agent-caller.ts'
import { endedSessionsRepository } from './ended-sessions.repository.ts'
import { daemonTool, type DaemonToolDeps } from './daemon-tool.ts'
import { createInFlightCalls } from './in-flight-calls.ts'
import { listOrgsTool } from './list-orgs.tool.ts'
import { createMcpServer } from './mcp-server.ts'
import { mcpRoutes } from './mcp.routes.ts'
import { createOpenCall } from './open-call.ts'
import { platformResources } from './platform-resources.ts'
import { createSessionIds } from './session-ids.ts'
import { createSessionStreams } from './session-streams.ts'
import { subscriptionsRepository } from './subscriptions.repository.ts'
import type { ListOrganizations } from './usable-orgs.ts'
import { createUseCounts } from './use-counts.ts'
import { createWatchResources } from './watch-resources.ts'

type Deps = {
  db: Db
  clock: Clock
  log: Log
  baseUrl: string
  version: string
  secret: Secret
  oauth: Pick<OAuth, 'findGrant' | 'refreshGrant' | 'recordUses'>
  integrations: Pick<Integrations, 'findAccess' | 'request' | 'recordUses'>
  listOrganizations: ListOrganizations
  findMembership(
    by: { userId: string; orgId: string } | { userId: string; orgSlug: string },
  ): Promise<Membership | undefined>
  reach: Gateway['reach']
  agentClient: DaemonTunnels['agentClient']
  recordWrite: DaemonToolDeps['recordWrite']
  rateLimit: RateLimit
}

const MAX_BODY_BYTES = 4 * 1024 * 1024

/** The MCP endpoint of the control plane: members' agents, over the tunnel to the daemons. */
export function createMcp({ db, clock, log, baseUrl, version, secret, oauth, integrations, rateLimit, ...deps }: Deps) {
  const { listOrganizations, findMembership, reach, agentClient, recordWrite } = deps
  const ended = endedSessionsRepository(db, clock)
  const uses = createUseCounts({
    recordGrantUses: oauth.recordUses,
    recordIntegrationUses: integrations.recordUses,
    clock,
    log,
  })
  const admit = createAgentCaller({ integrations, countUse: uses.count, findMembership, rateLimit, log })
  const openCall = createOpenCall(admit)
  const tools = [
    listOrgsTool({ listOrganizations, findAccess: integrations.findAccess }),
    ...toolDefinitions.map((definition) =>
      daemonTool(definition, { openCall, reach, callTool: agentClient.callTool, recordWrite }),
    ),
  ]
  const resources = platformResources({ listOrganizations, openCall, reach, client: agentClient })
  const { readChanges } = agentClient
  const watch = createWatchResources({ refreshGrant: oauth.refreshGrant, openCall, reach, readChanges, clock })
  const streams = createSessionStreams({ subscriptions: subscriptionsRepository(db, clock), watch, log })
  const calls = createInFlightCalls()
  const server = createMcpServer({ tools, resources, streams, calls, version, maxBodyBytes: MAX_BODY_BYTES, log })

  return {
    routes: () => [
      mcpRoutes({
        baseUrl,
        findGrant: oauth.findGrant,
        server,
        streams,
        calls,
        sessions: createSessionIds(secret),
        ended,
        rateLimit,
        clock,
        maxBodyBytes: MAX_BODY_BYTES,
      }),
    ],
    deleteExpired: async (): Promise<void> => {
      await Promise.all([ended.deleteExpired(), streams.deleteExpired()])
    },
    close: async (): Promise<void> => {
      streams.endAll()
      await server.close()
      await uses.close()
    },
  }
}
