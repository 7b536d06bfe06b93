import { archivesRoutes } from './archives/archives.routes.ts'
import { attachmentsRoutes } from './attachments/attachments.routes.ts'
import { authorsRoutes } from './authors/authors.routes.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { composeBackups, type RestartDeps } from './compose-backups.ts'
import { eventsRoutes } from './events/events.routes.ts'
import { foldersRoutes } from './folders/folders.routes.ts'
import { historyRoutes } from './history/history.routes.ts'
import { countActivity } from './http/activity.ts'
import { createHttpServer } from './http/http-server.ts'
import { openapi } from './http/openapi.ts'
import { serveDiagrams } from './http/diagram-page.ts'
import { createStaticUi } from './http/static-ui.ts'
import { linksRoutes } from './links/links.routes.ts'
import { countRequests } from './metrics/metrics.routes.ts'
import { agentRoutes } from './mcp/agent.routes.ts'
import { agentResourcesRoutes } from './mcp/agent-resources.routes.ts'
import { mcpRoutes } from './mcp/mcp.routes.ts'
import { toolTable } from './mcp/tool-table.ts'
import { movesRoutes } from './moves/moves.routes.ts'
import { newsRoutes } from './news/news.routes.ts'
import { notesRoutes } from './notes/notes.routes.ts'
import { personRoutes } from './person/person.routes.ts'
import { storedPreferences } from './person/preferences.ts'
import { liveRoutes, webSockets } from './live/live.routes.ts'
import { revertsRoutes } from './reverts/reverts.routes.ts'
import { searchRoutes } from './search/search.routes.ts'
import { healthRoutes } from './status/health.routes.ts'
import { opsRoutes } from './storage/ops.routes.ts'
import { deletedNotesRoutes } from './trash/deleted-notes.routes.ts'
import { trashRoutes } from './trash/trash.routes.ts'
import { vaultsRoutes } from './vaults/vaults.routes.ts'
import type { Handle, Upgrade } from './http/front-door.ts'
import { composeVerbs, type AppDeps } from './compose-verbs.ts'

/** All routes, ready for requests. `close` ends open streams; requests in flight may finish. */
export type LoadedApp = { handle: Handle; upgrade: Upgrade; close(): Promise<void> }

const SMALL_BODY = 256 * 1024

/** Mounts every route on an existing server. */
export async function loadApp(deps: AppDeps & RestartDeps): Promise<LoadedApp> {
  const { config, layout, log, clock, verifyAssertion, relayStatus, server, registry, streams, activity, live } = deps
  const { maxNoteBytes, maxAttachmentBytes, maxImportBytes, allowedHosts, version } = config
  const verbs = composeVerbs(deps)
  const maxBodyBytes = maxNoteBytes + SMALL_BODY

  const { app, handle, useUi } = createHttpServer({
    server,
    log,
    allowedHosts,
    verifyAssertion,
    maxBodyBytes: SMALL_BODY,
  })
  const upgrade = await webSockets(app)
  await openapi(app, { version })
  countRequests(app, { registry })
  countActivity(app, activity)
  await app.register(healthRoutes({ layout, registry, relayStatus }))
  await app.register(personRoutes({ registry, preferences: storedPreferences({ folder: layout.daemon, log }) }))
  await app.register(vaultsRoutes(verbs))
  await app.register(notesRoutes({ ...verbs, maxBodyBytes }))
  await app.register(attachmentsRoutes({ ...verbs, maxBytes: maxAttachmentBytes }))
  await app.register(foldersRoutes(verbs))
  await app.register(archivesRoutes({ ...verbs, maxBytes: maxImportBytes }))
  await app.register(movesRoutes(verbs))
  await app.register(liveRoutes({ registry, live, activity, clock, log }))
  await app.register(searchRoutes(verbs))
  await app.register(linksRoutes({ registry, ...verbs.linkQuestions }))
  await app.register(opsRoutes({ registry, layout, activity, clock }))
  await app.register(composeBackups(deps))
  await app.register(trashRoutes(verbs))
  await app.register(deletedNotesRoutes(verbs))
  await app.register(auditRoutes({ registry }))
  await app.register(historyRoutes(verbs))
  await app.register(revertsRoutes(verbs))
  await app.register(authorsRoutes(verbs))
  await app.register(newsRoutes({ ...verbs, maxNoteBytes }))
  await app.register(eventsRoutes({ ...verbs, streams }))
  const tools = toolTable(verbs)
  await app.register(agentRoutes({ tools, maxBodyBytes }))
  await app.register(agentResourcesRoutes(verbs))
  await app.register(mcpRoutes({ ...verbs, tools, version, clock, log }))
  serveDiagrams(app)
  useUi(await createStaticUi(app))
  await app.ready()

  return { handle, upgrade, close: () => app.close() }
}
