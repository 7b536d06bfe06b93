import { setImmediate } from 'node:timers/promises'
import type { FastifyPluginAsync } from 'fastify'
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
import { loadTools } from './mcp/load-tools.ts'
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
  // The routes' code has just been loaded in this turn of the event loop: let other work run first.
  await setImmediate()
  const verbs = composeVerbs(deps)
  const maxBodyBytes = maxNoteBytes + SMALL_BODY

  const { app, handle, useUi } = createHttpServer({
    server,
    log,
    allowedHosts,
    verifyAssertion,
    maxBodyBytes: SMALL_BODY,
  })
  /**
   * Mounts each group of routes in its own turn of the event loop: all in one turn would delay requests in progress and
   * live sessions.
   */
  const mount = async (routes: FastifyPluginAsync) => {
    await app.register(routes)
    await setImmediate()
  }
  const upgrade = await webSockets(app)
  openapi(app, { version })
  countRequests(app, { registry })
  countActivity(app, activity)
  await mount(healthRoutes({ layout, registry, relayStatus }))
  await mount(personRoutes({ registry, preferences: storedPreferences({ folder: layout.daemon, log }) }))
  await mount(vaultsRoutes(verbs))
  await mount(notesRoutes({ ...verbs, maxBodyBytes }))
  await mount(attachmentsRoutes({ ...verbs, maxBytes: maxAttachmentBytes }))
  await mount(foldersRoutes(verbs))
  await mount(archivesRoutes({ ...verbs, maxBytes: maxImportBytes }))
  await mount(movesRoutes(verbs))
  await mount(liveRoutes({ ...verbs, live, activity, clock, log }))
  await mount(searchRoutes(verbs))
  await mount(linksRoutes({ registry, ...verbs.linkQuestions }))
  await mount(opsRoutes({ registry, layout, activity, clock }))
  await mount(composeBackups(deps))
  await mount(trashRoutes(verbs))
  await mount(deletedNotesRoutes(verbs))
  await mount(auditRoutes({ registry }))
  await mount(historyRoutes(verbs))
  await mount(revertsRoutes(verbs))
  await mount(authorsRoutes(verbs))
  await mount(newsRoutes({ ...verbs, maxNoteBytes }))
  await mount(eventsRoutes({ ...verbs, streams }))
  const tools = loadTools(verbs)
  await mount(agentRoutes({ tools, textRoom: verbs.textRoom, maxBodyBytes }))
  await mount(agentResourcesRoutes(verbs))
  await mount(mcpRoutes({ ...verbs, tools, version, clock, log }))
  serveDiagrams(app)
  useUi(createStaticUi({ app, log }))
  await app.ready()

  return { handle, upgrade, close: () => app.close() }
}
