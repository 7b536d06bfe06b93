// Longer than other files on purpose: the one place where every part of the control plane meets every other.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Redis } from 'ioredis'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { SESSION_SECONDS } from './accounts/auth.ts'
import { createAccounts } from './accounts/accounts.domain.ts'
import { adoptSecret } from './adopt-secret.ts'
import { createAudit } from './audit/audit.domain.ts'
import { ledgerRepository } from './billing/ledger.repository.ts'
import { composeAgents } from './compose-agents.ts'
import { isLoopbackOrigin } from './config-rules.ts'
import { takesTunnels, worksOffJobs, type Config } from './config.ts'
import { createDaemonKeys } from './daemon-keys/daemon-keys.domain.ts'
import type { Db } from './db/database.ts'
import { isMigrated, pendingMigrations } from './db/migrator.ts'
import { downloadsRoutes } from './downloads/downloads.routes.ts'
import { createEffects } from './effects/effects.domain.ts'
import { createEntry, type Entry } from './entry/entry.domain.ts'
import { createGateway, type Gateway } from './gateway/gateway.domain.ts'
import { appConfig } from './http/app-config.ts'
import { createGuards } from './http/guards.ts'
import { createHttpServer } from './http/http-server.ts'
import { collectRoutes } from './http/known-routes.ts'
import { createMetrics, measureTunnels } from './http/metrics.ts'
import { createCounters, createRateLimit } from './http/rate-limit.ts'
import { systemRoutes } from './http/system.routes.ts'
import { resignSession } from './http/resign-session.ts'
import { serveWebApp } from './http/web-app.ts'
import { createIdleSleep } from './idle-sleep/idle-sleep.domain.ts'
import { createInventory } from './inventory/inventory.domain.ts'
import { createJobs } from './jobs/jobs.ts'
import type { QueueBackend } from './jobs/queue-backend.ts'
import { createLimits } from './limits/limits.domain.ts'
import type { MailSender } from './mail/mail.ts'
import { outboxRoutes } from './mail/outbox.routes.ts'
import type { Outbox } from './mail/outbox.ts'
import { createManagedDaemons } from './managed-daemons/managed-daemons.domain.ts'
import { newExecutorName } from './operations/executor-lock.ts'
import { lifecycleEventsRepository } from './operations/lifecycle-events.repository.ts'
import { EXECUTE_OPERATION } from './operations/operation-engine.ts'
import { createOperations } from './operations/operations.domain.ts'
import { createHintSettling } from './organization-lifecycle/follow-daemons.ts'
import { createOrganizationDeletion } from './organization-lifecycle/organization-deletion.domain.ts'
import { createOrganizationLifecycle } from './organization-lifecycle/organization-lifecycle.domain.ts'
import type { ResolveText } from './organizations/auto-admit.ts'
import type { FetchDocument } from './oauth/fetch-document.ts'
import { createOrganizations } from './organizations/organizations.domain.ts'
import { needsCode } from './organization-lifecycle/provision-organization.ts'
import { systemResolveText } from './organizations/resolve-text.ts'
import { createAllowedImages } from './registry/allowed-image.ts'
import { createResolveImage } from './registry/resolve-image.ts'
import { ADVANCE_ROLLOUT } from './rollouts/rollout-control.ts'
import { createWakeByRoll } from './rollouts/roll-at-wake.ts'
import { createRollouts } from './rollouts/rollouts.domain.ts'
import { setupRepository } from './setup/setup.repository.ts'
import { setupRoutes } from './setup/setup.routes.ts'
import { startBackground } from './start-background.ts'
import { createDaemonTunnels, type DaemonTunnels } from './tunnels/tunnels.domain.ts'
import { createVaults } from './vaults/vaults.domain.ts'

export type ControlPlaneDeps = {
  config: Config
  db: Db
  clock: Clock
  log: Log
  /** Where ManagedDaemon resources live; undefined: no hosted organizations. */
  store: ManagedDaemonStore | undefined
  mail: MailSender
  /** The outbox page, where mails go nowhere else. */
  outbox?: Outbox | undefined
  queue: QueueBackend
  /** Shared by replicas for limits; without it this replica is the only one. */
  redis?: Redis | undefined
  resolveText?: ResolveText
  /** Reads the metadata documents of agents; absent: from the public web. */
  fetchDocument?: FetchDocument
}

/** A control plane that nobody listens for yet: its HTTP servers are fed by whoever composes it. */
export type ControlPlane = {
  api: FastifyInstance
  entry: Entry
  /** Serves daemons that dial in, and the upgrades of other replicas. */
  tunnels: DaemonTunnels
  /** Serves the vault origins. */
  gateway: Gateway['door']
  /** Starts everything that works on its own: relay upkeep, jobs, sweeps, the watch of resources. */
  start(): Promise<void>
  /** Is not ready from now on, and sends every daemon to another replica. */
  drain(patienceMs: number): Promise<void>
  ready(): Promise<boolean>
  metrics(): Promise<string>
  close(): Promise<void>
}

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../dist')
/** In local and test environments one machine plays many people. */
const RELAXED_LIMITS = 50
const EFFECT_TIMEOUT_MS = 10 * 60_000

/** The composition root: makes every collaborator and mounts every route group. Listens to nothing. */
export async function createControlPlane(deps: ControlPlaneDeps): Promise<ControlPlane> {
  const { config, db, clock, log, store, mail, redis } = deps
  const { baseUrl, vaultOriginTemplate, operatorOrg } = config
  const outbox = isLoopbackOrigin(baseUrl) ? deps.outbox : undefined
  const shutdown = new Shutdown(log)

  const metrics = createMetrics()
  const jobs = createJobs({ backend: deps.queue, log })
  const events = lifecycleEventsRepository(db, clock)
  const { registry, repository, digests, image, idleSeconds } = config.managedDaemons
  const resolve = createResolveImage({ registry, digests, log })
  const checkImage = createAllowedImages({ repository, digests, registry })
  const { hasPaymentHistory } = ledgerRepository(db, clock)
  const wakeSettling = createHintSettling({ wake: jobs.wake, log })

  const daemonKeys = createDaemonKeys({ db, clock, relayUrl: config.relayUrl })
  const managed = createManagedDaemons({ db, clock, store, recordEvent: events.insert, idleSeconds })
  const organizations = createOrganizations({
    config,
    db,
    clock,
    mail,
    resolveText: deps.resolveText ?? systemResolveText(),
  })
  const accounts = createAccounts({
    config,
    db,
    clock,
    log,
    mail,
    onSignedIn: organizations.admitByDomain,
    sendInvitation: organizations.sendInvitation,
  })

  const counters = createCounters({ redis, clock })
  const secrets = { secret: config.authSecret, previousSecret: config.authSecretPrevious }
  const entry = createEntry({ db, clock, log, baseUrl, vaultOriginTemplate, ...secrets })
  const limits = createLimits({ clock, log })
  const tunnels = createDaemonTunnels({
    db,
    clock,
    log,
    baseUrl,
    ...secrets,
    entry,
    queued: limits.queued,
    isHosted: managed.isHosted,
    shared: redis && { redis, url: config.listeners.internal.url },
    takesTunnels: takesTunnels(config.role),
    counters,
    trustedProxies: config.trustedProxies,
    acceptsPerSecond: config.relay.acceptsPerSecond,
    tunnelsPerDaemon: config.relay.tunnelsPerDaemon,
  })
  measureTunnels(metrics, tunnels.count)

  const audit = createAudit({ db, clock, log, ...secrets })
  const effects =
    store &&
    createEffects({
      clock,
      log,
      store,
      managed,
      image,
      resolveImage: resolve,
      wakeProvisioning: wakeSettling,
      daemonClient: tunnels.daemonClient,
      timeoutMs: EFFECT_TIMEOUT_MS,
    })
  const deletion = createOrganizationDeletion({
    db,
    clock,
    organizations,
    daemonKeys,
    managed,
    hasPaymentHistory,
    wakeSettling,
    timeoutMs: EFFECT_TIMEOUT_MS,
  })
  const operations = createOperations({
    db,
    clock,
    log,
    executor: newExecutorName(),
    wake: (operationId) => jobs.wake(EXECUTE_OPERATION, operationId),
    isLiving: organizations.exists,
    effects: (tools) => ({ ...effects?.effects(tools), ...deletion.effects(tools) }),
  })
  const rollouts =
    store &&
    createRollouts({
      db,
      clock,
      log,
      store,
      run: operations.run,
      wake: (rolloutId) => jobs.wake(ADVANCE_ROLLOUT, rolloutId),
      resolveImage: resolve,
    })
  const lifecycle = createOrganizationLifecycle({
    config,
    db,
    clock,
    log,
    store,
    organizations,
    daemonKeys,
    managed,
    events,
    deletion,
    hasPaymentHistory,
    run: operations.run,
    wake: jobs.wake,
    wakeSettling,
    resolveImage: resolve,
    recordAudit: audit.insertIn,
  })
  const inventory = createInventory({ db, clock, store, events, operatorOrg })
  const wakeHosted = createWakeByRoll({ rollAtWake: rollouts?.rollAtWake, wake: managed.wake })
  const vaultsOf = async (orgId: string, userId: string) =>
    (await tunnels.daemonClient(orgId).listVaults({ user: userId })).vaults
  const gateway = createGateway({
    baseUrl,
    entry,
    tunnels,
    limits,
    hosted: { state: managed.findHostedState, wake: wakeHosted },
    people: { ...accounts.preferences, findOrganization: organizations.find },
    listVaults: vaultsOf,
    redis,
    clock,
    log,
  })
  const system = { system: 'idle-sleep' }
  const idleSleep =
    store &&
    createIdleSleep({
      store,
      idleSeconds,
      idleTime: managed.idleTime,
      readActivity: async (orgId) => (await tunnels.daemonClient(orgId).readActivity(system)).activity,
      flush: async (orgId) => (await tunnels.daemonClient(orgId).flushAll(system)).activity,
      unlessBusy: operations.unlessBusy,
      wake: wakeHosted,
      recordSleep: (orgId) => events.insert(orgId, 'sleep_requested', { reason: 'Idle' }),
      clock,
      log,
    })
  const vaults = createVaults({
    tunnels,
    db,
    listOrganizations: organizations.list,
    findHostedState: managed.findState,
    lockOrganization: organizations.lock,
    hasLiveKey: daemonKeys.hasLiveKey,
    issueKey: daemonKeys.issue,
    reach: gateway.reach,
  })
  const agents = config.mcp.enabled
    ? composeAgents({
        config,
        db,
        clock,
        log,
        accounts,
        organizations,
        audit,
        tunnels,
        gateway,
        vaults,
        fetchDocument: deps.fetchDocument,
      })
    : undefined
  const worker = operations.worker({ databaseUrl: config.databaseUrl, onEnded: rollouts?.onOperationEnded })

  const guards = createGuards({
    findSession: accounts.findSession,
    findMembership: organizations.findMembership,
    clock,
    sessionCookie: accounts.cookieName,
    operatorOrg,
    adminToken: config.adminToken,
    rateLimit: createRateLimit(counters),
  })
  const codeNeeded = needsCode(config.environment)
  const rateLimit = createRateLimit(counters, codeNeeded ? 1 : RELAXED_LIMITS)

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
  if (previous !== undefined)
    api.addHook('onRequest', resignSession({ name: accounts.cookieName, secret, previous, seconds: SESSION_SECONDS }))
  const knownRoutes = collectRoutes(api)
  const aboutItself = systemRoutes({
    environment: config.environment,
    appConfig: appConfig({ config, provisioningCodeRequired: codeNeeded, hasOutbox: outbox !== undefined }),
    isReady: ready,
    metrics,
    metricsPublic: config.metricsPublic,
  })
  const appRoutes: FastifyPluginAsyncZod[] = [
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
      findOrganizationOfInvitation: organizations.findOrganizationOfInvitation,
      listOrganizations: organizations.list,
      listAdmissionOffers: organizations.listOffers,
      findMember: organizations.findMember,
      recordAudit: audit.insert,
    }),
    ...organizations.routes({
      guards,
      rateLimit,
      renewSession: accounts.renewSession,
      hasProvenAccount: accounts.hasProvenAccount,
      createProvenAccount: accounts.createProvenAccount,
    }),
    ...lifecycle.routes({ guards, rateLimit }),
    setupRoutes({
      guards,
      setup: setupRepository(db, clock),
      operatorOrg,
      renewSession: accounts.renewSession,
    }),
    ...managed.routes({
      guards,
      isConnected: async (orgId) => (await tunnels.status(orgId)).connected,
      wake: wakeHosted,
    }),
    ...vaults.routes(guards),
    ...daemonKeys.routes(guards, audit.insertIn),
    ...entry.routes({
      guards,
      recordAudit: audit.insertIn,
      findDaemonId: daemonKeys.findDaemonId,
      listVaults: vaultsOf,
      reach: gateway.reach,
    }),
    ...inventory.routes(guards),
    ...operations.routes(guards, organizations.find),
    ...audit.routes(guards),
    ...(effects?.routes({ guards, run: operations.run, findOrganization: organizations.find, checkImage }) ?? []),
    ...(rollouts?.routes({ guards, checkImage }) ?? []),
    ...(outbox === undefined ? [] : [outboxRoutes({ outbox, baseUrl })]),
  ]
  const routes = [
    aboutItself,
    ...(config.role === 'mcp' ? [] : appRoutes),
    ...(agents?.routes({ guards, rateLimit }) ?? []),
  ]
  await adoptSecret({
    pending: await pendingMigrations(db),
    openKeys: entry.signingKeys.adoptSecret,
    makeKeys: entry.signingKeys.published,
    endorseAuditKey: audit.adoptSecret,
  })
  for (const plugin of routes) await api.register(plugin)
  await serveWebApp(api, { webRoot: config.webRoot ?? join(DIST, 'web'), knownRoutes })
  await api.ready()

  // Closed in reverse: what takes requests first, what their work still needs last.
  if (effects) shutdown.add('effects', effects.close)
  shutdown.add('executions', worker.close)
  shutdown.add('jobs', jobs.close)
  shutdown.add('entry', entry.close)
  shutdown.add('tunnels', tunnels.close)
  shutdown.add('gateway', gateway.close)
  shutdown.add('accounts', accounts.close)
  if (agents) shutdown.add('agents', agents.close)

  return {
    api,
    entry,
    tunnels,
    gateway: gateway.door,
    ready,
    metrics: () => metrics.metrics(),
    start: async () => {
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
          { name: 'watch of managed daemons', start: lifecycle.follow },
          ...(idleSleep ? [{ name: 'idle sleep', start: idleSleep.start }] : []),
        ],
        deleteExpired: async () => {
          await accounts.deleteExpired()
          await agents?.deleteExpired()
        },
        shutdown,
        clock,
        log,
      })
    },
    drain: async (patienceMs) => {
      stopping = true
      await tunnels.drain(patienceMs)
    },
    close: async () => {
      stopping = true
      shutdown.add('api', () => api.close())
      await shutdown.close()
    },
  }
}
