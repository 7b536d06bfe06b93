import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import { cookiesUnderWay, SESSION_SECONDS } from './sign-in/auth.ts'
import { adoptSecret } from './adopt-secret.ts'
import { isLoopbackOrigin } from './config-rules.ts'
import { worksOffJobs } from './config.ts'
import { isMigrated, pendingMigrations } from './db/migrator.ts'
import type { Entry } from './entry/entry.domain.ts'
import type { Gateway } from './gateway/gateway.domain.ts'
import { appConfig } from './http/app-config.ts'
import { createHttpServer } from './http/http-server.ts'
import { collectRoutes } from './http/known-routes.ts'
import { createMetrics, measureTunnels } from './http/metrics.ts'
import { systemRoutes } from './http/system.routes.ts'
import { resignCookies } from './http/resign-cookies.ts'
import { serveWebApp } from './http/web-app.ts'
import { needsCode } from './organization-lifecycle/provision-organization.ts'
import { startBackground } from './start-background.ts'
import { startResealing } from './start-resealing.ts'
import type { DaemonTunnels } from './tunnels/tunnels.domain.ts'
import { composeDomains } from './compose-domains.ts'
import { composeRoutes } from './compose-routes.ts'
import type { ControlPlaneDeps } from './control-plane-deps.ts'

/** A control plane without listeners: the process that composes it feeds its HTTP servers. */
export type ControlPlane = {
  api: FastifyInstance
  entry: Entry
  /** Handles the dial-in of daemons and the upgrades of other replicas. */
  tunnels: DaemonTunnels
  /** Serves the vault origins. */
  gateway: Gateway['door']
  /** Starts the background work: relay upkeep, jobs, sweeps, the watch of resources. Needs the schema. */
  start(): Promise<void>
  /** Reports not ready from now on, and sends every daemon to another replica. */
  drain(patienceMs: number): Promise<void>
  ready(): Promise<boolean>
  metrics(): Promise<string>
  close(): Promise<void>
}

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../dist')

/**
 * The composition root: domains, their routes on one HTTP server, and the order in which parts start and stop. Opens no
 * listener.
 */
export async function createControlPlane(deps: ControlPlaneDeps): Promise<ControlPlane> {
  const { config, db, clock, log } = deps
  const { baseUrl, vaultOriginTemplate } = config
  const outbox = isLoopbackOrigin(baseUrl) ? deps.outbox : undefined
  const shutdown = new Shutdown(log)
  const metrics = createMetrics()

  const domains = composeDomains(deps)
  const { accounts, agents, audit, backups, changes, effects, entry, gateway, idleSleep, inventory } = domains
  const { jobs, lifecycle, mails, managed, operations, organizations, rollouts, tunnels, worker } = domains
  measureTunnels(metrics, tunnels)
  managed.measure(metrics)
  backups?.measure(metrics)

  const reseals = {
    signingKeys: entry.signingKeys.reseal,
    authenticatorApps: accounts.resealSecondFactors,
    ...(agents ? { clientSecrets: agents.resealClientSecrets } : {}),
  }

  let stopping = false
  const ready = async () => !stopping && (await isMigrated(db))

  const api = await createHttpServer({
    baseUrl,
    vaultOriginTemplate,
    trustedProxies: config.trustedProxies,
    log,
    metrics,
  })
  const { authSecret: secret, authSecretPrevious: previous } = config
  if (previous !== undefined) {
    const session = { name: accounts.cookieName, seconds: SESSION_SECONDS }
    api.addHook('onRequest', resignCookies({ session, underWay: cookiesUnderWay(session.name), secret, previous }))
  }
  const knownRoutes = collectRoutes(api)
  const aboutItself = systemRoutes({
    environment: config.environment,
    appConfig: appConfig({
      config,
      runsDaemons: deps.store !== undefined,
      provisioningCodeRequired: needsCode(config.environment),
      hasOutbox: outbox !== undefined,
    }),
    isReady: ready,
    metrics,
    metricsPublic: config.metricsPublic,
  })
  const adopt = async () =>
    adoptSecret({
      pending: await pendingMigrations(db),
      openKeys: async () => (await entry.signingKeys.reseal()).unopened === 0,
      makeKeys: entry.signingKeys.published,
      endorseAuditKey: audit.adoptSecret,
    })
  const adopted = await adopt()
  for (const plugin of [aboutItself, ...composeRoutes({ deps, domains, outbox })]) await api.register(plugin)
  await serveWebApp(api, { webRoot: config.webRoot ?? join(DIST, 'web'), knownRoutes })
  await api.ready()

  // Closed in reverse order: first the parts that accept requests, last those that the remaining work still needs.
  if (effects) shutdown.add('effects', effects.close)
  if (backups) shutdown.add('backups', backups.close)
  shutdown.add('executions', worker.close)
  shutdown.add('jobs', jobs.close)
  shutdown.add('entry', entry.close)
  shutdown.add('tunnels', tunnels.close)
  shutdown.add('gateway', gateway.close)
  shutdown.add('mails', mails.close)
  shutdown.add('event streams', changes.close)
  if (agents) shutdown.add('agents', agents.close)

  return {
    api,
    entry,
    tunnels,
    gateway: gateway.door,
    ready,
    metrics: () => metrics.metrics(),
    start: async () => {
      // A schema that changes together with the secret was not there yet.
      if (adopted === 'schema_pending') await adopt()
      entry.start()
      tunnels.start()
      gateway.start()
      if (!worksOffJobs(config.role)) return
      await startBackground({
        jobs,
        worker,
        handlers: { ...lifecycle.handlers, ...rollouts?.handlers },
        sources: [lifecycle.sweep, operations.sweepSource, ...(rollouts ? [rollouts.sweep] : [])],
        starts: [
          { name: 'audit upkeep', start: () => audit.startUpkeep(config.auditRetentionDays) },
          { name: 'resealing', start: () => startResealing({ reseals, previous, clock, log }) },
          { name: 'signing keys', start: () => entry.rotateOnSchedule(config.signingKeyDays, audit.insertIn) },
          { name: 'watch of managed daemons', start: lifecycle.follow },
          { name: 'inventory', start: inventory.follow },
          ...(idleSleep ? [{ name: 'idle sleep', start: idleSleep.start }] : []),
          ...(backups
            ? [
                { name: 'scheduled backups', start: backups.schedule(operations.run).start },
                { name: 'backups that are left', start: backups.left(audit.insertIn).start },
              ]
            : []),
        ],
        deleteExpired: async () => {
          await accounts.deleteExpired()
          await organizations.deleteExpired()
          await agents?.deleteExpired()
          await changes.deleteOld()
        },
        shutdown,
        clock,
        log,
      })
    },
    drain: async (patienceMs) => {
      stopping = true
      changes.endStreams()
      await tunnels.drain(patienceMs)
    },
    close: async () => {
      stopping = true
      shutdown.add('api', () => api.close())
      await shutdown.close()
    },
  }
}
