import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { toolDefinitions } from '@svc/shared/wire/mcp/tools.ts'
import type { Db } from '../db/database.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Gateway } from '../gateway/gateway.domain.ts'
import type { Integrations } from '../integrations/integrations.domain.ts'
import type { OAuth } from '../oauth/oauth.domain.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { endedSessionsRepository } from './ended-sessions.repository.ts'
import { daemonTool, type DaemonToolDeps } from './daemon-tool.ts'
import { createInFlightCalls } from './in-flight-calls.ts'
import { listOrgsTool } from './list-orgs.tool.ts'
import { mcpRoutes } from './mcp.routes.ts'
import { createModernRequests } from './modern-requests.ts'
import { createRights } from './rights/rights.domain.ts'
import { createPlatformFeatures } from './platform-features.ts'
import { platformResources } from './platform-resources.ts'
import { createServePost } from './serve-post.ts'
import { createSessionIds } from './session-ids.ts'
import { createSessionRequests } from './session-requests.ts'
import { createSessionStreams } from './session-streams.ts'
import { subscriptionsRepository } from './subscriptions.repository.ts'
import { createUseCounts } from './rights/use-counts.ts'
import { createWatchResources } from './watch-resources.ts'

type Deps = {
  db: Db
  clock: Clock
  log: Log
  baseUrl: string
  version: string
  secret: Secret
  previousSecret: Secret | undefined
  oauth: Pick<OAuth, 'endpoint' | 'recordUses'>
  integrations: Pick<Integrations, 'request' | 'recordUses'>
  reach: Gateway['reach']
  agentClient: DaemonTunnels['agentClient']
  recordWrite: DaemonToolDeps['recordWrite']
  rateLimit: RateLimit
}

const MAX_BODY_BYTES = 4 * 1024 * 1024

/** The MCP endpoint of the control plane: members' agents, over the tunnel to the daemons. */
export function createMcp({ db, clock, log, baseUrl, version, secret, oauth, integrations, rateLimit, ...deps }: Deps) {
  const { reach, agentClient, recordWrite, previousSecret: previous } = deps
  const ended = endedSessionsRepository(db, clock)
  const uses = createUseCounts({
    recordGrantUses: oauth.recordUses,
    recordIntegrationUses: integrations.recordUses,
    clock,
    log,
  })
  const { rights, openCall, openReachedCall } = createRights({
    db,
    reach,
    request: integrations.request,
    countUse: uses.count,
    rateLimit,
    clock,
    log,
  })
  const tools = [
    listOrgsTool(clock),
    ...toolDefinitions.map((definition) =>
      daemonTool(definition, { openReachedCall, callTool: agentClient.callTool, recordWrite }),
    ),
  ]
  const resources = platformResources({ openCall, openReachedCall, client: agentClient })
  const { readChanges } = agentClient
  const watch = createWatchResources({ rights, openCall, openReachedCall, readChanges, clock })
  const streams = createSessionStreams({ subscriptions: subscriptionsRepository(db, clock), watch, clock, log })
  const calls = createInFlightCalls()
  const sessions = createSessionIds({ secret, previous })
  const features = createPlatformFeatures({ tools, resources, streams, calls, log })
  const modern = createModernRequests({ features, version, maxBodyBytes: MAX_BODY_BYTES, log })

  return {
    routes: () => [
      mcpRoutes({
        baseUrl,
        endpoint: oauth.endpoint,
        rights,
        servePost: createServePost({
          baseUrl,
          sessionRequests: createSessionRequests({ features, version, log }),
          modern,
          streams,
          sessions,
          clock,
        }),
        streams,
        calls,
        sessions,
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
      await modern.close()
      await uses.close()
    },
  }
}
