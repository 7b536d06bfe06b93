import { createAccounts } from './accounts/accounts.domain.ts'
import { createAudit } from './audit/audit.domain.ts'
import { createBackups } from './backups/backups.domain.ts'
import { recordingBilling } from './billing/billing.domain.ts'
import { createChanges } from './changes/changes.domain.ts'
import { takesTunnels } from './config.ts'
import { createDaemonKeys } from './daemon-keys/daemon-keys.domain.ts'
import { createEffects } from './effects/effects.domain.ts'
import { createEntry } from './entry/entry.domain.ts'
import { createGateway, DIAGRAM_ROOT } from './gateway/gateway.domain.ts'
import { createCounters } from './http/rate-limit.ts'
import { createIdleSleep } from './idle-sleep/idle-sleep.domain.ts'
import { createInventory } from './inventory/inventory.domain.ts'
import { createJobs } from './jobs/jobs.ts'
import { createLimits } from './limits/limits.domain.ts'
import { createMailQueue } from './mail/mail-queue.ts'
import { createManagedDaemons } from './managed-daemons/managed-daemons.domain.ts'
import { newExecutorName } from './operations/executor-lock.ts'
import { lifecycleEventsRepository } from './operations/lifecycle-events.repository.ts'
import { EXECUTE_OPERATION } from './operations/operation-engine.ts'
import { createOperations } from './operations/operations.domain.ts'
import { createHintSettling } from './organization-lifecycle/follow-daemons.ts'
import { createOrganizationDeletion } from './organization-lifecycle/organization-deletion.domain.ts'
import { createOrganizationLifecycle } from './organization-lifecycle/organization-lifecycle.domain.ts'
import { createOrganizations } from './organizations/organizations.domain.ts'
import { systemResolveText } from './organizations/resolve-text.ts'
import { createAllowedImages } from './registry/allowed-image.ts'
import { createResolveImage } from './registry/resolve-image.ts'
import { ADVANCE_ROLLOUT } from './rollouts/rollout-control.ts'
import { createWakeByRoll } from './rollouts/roll-at-wake.ts'
import { createRollouts } from './rollouts/rollouts.domain.ts'
import { createDaemonTunnels } from './tunnels/tunnels.domain.ts'
import { createVaults } from './vaults/vaults.domain.ts'
import { createAgents } from './mcp/agents.domain.ts'
import type { ControlPlaneDeps } from './control-plane-deps.ts'

const EFFECT_TIMEOUT_MS = 10 * 60_000

export type Domains = ReturnType<typeof composeDomains>

/** Creates every domain of the control plane, each from those below it. Nothing runs yet, and nothing does I/O. */
export function composeDomains({ config, db, clock, log, store, mail, redis, ...deps }: ControlPlaneDeps) {
  const { baseUrl, vaultOriginTemplate, operatorOrg } = config
  const jobs = createJobs({ backend: deps.queue, log })
  const events = lifecycleEventsRepository(db, clock)
  const { registry, repository, digests, image, idleSeconds, storage } = config.managedDaemons
  const resolve = createResolveImage({ registry, digests, log })
  const checkImage = createAllowedImages({ repository, digests, registry })
  const { hasPaymentHistory } = deps.billing ?? recordingBilling(db, clock)
  const wakeSettling = createHintSettling({ wake: jobs.wake, log })

  const secrets = { secret: config.authSecret, previousSecret: config.authSecretPrevious }
  const audit = createAudit({ db, clock, log, ...secrets })
  const daemonKeys = createDaemonKeys({ db, clock, relayUrl: config.relayUrl })
  const managed = createManagedDaemons({ db, clock, store, recordEvent: events.insert, idleSeconds })
  const mails = createMailQueue({ mail, clock, log })
  const organizations = createOrganizations({
    config,
    db,
    clock,
    mails,
    resolveText: deps.resolveText ?? systemResolveText(),
    recordAudit: audit.insertIn,
  })
  const accounts = createAccounts({
    config,
    db,
    clock,
    log,
    mails,
    onSignedIn: organizations.admitByDomain,
    keepRemovals: organizations.keepRemovals,
  })
  const changes = createChanges({ db, clock, log, operatorOrg, accounts, organizations })
  const counters = createCounters({ redis, clock })
  const entry = createEntry({ db, clock, log, baseUrl, vaultOriginTemplate, ...secrets })
  const limits = createLimits({ db, platform: config.limits, growth: storage.growth, clock, log })
  const tunnels = createDaemonTunnels({
    db,
    clock,
    log,
    baseUrl,
    ...secrets,
    entry,
    queued: limits.queued,
    onPresence: changes.presenceChanged,
    onStopped: (orgId, activity) => backups?.uses.stopped(orgId, activity),
    isHosted: managed.isHosted,
    shared: redis && { redis, url: config.listeners.internal.url },
    takesTunnels: takesTunnels(config.role),
    counters,
    trustedProxies: config.trustedProxies,
    acceptsPerSecond: config.relay.acceptsPerSecond,
    tunnelsPerDaemon: config.relay.tunnelsPerDaemon,
    maxTunnelsOf: (orgId) => limits.limitsOf(orgId).limits.tunnels,
  })

  const hosted = store && { db, clock, log, store, daemonClient: tunnels.daemonClient, timeoutMs: EFFECT_TIMEOUT_MS }
  const backups = hosted && config.backups && createBackups({ config: config.backups, ...hosted })
  const effects =
    hosted &&
    createEffects({
      ...hosted,
      managed,
      image,
      checkImage,
      resolveImage: resolve,
      growthOf: limits.growthOf,
      wakeProvisioning: wakeSettling,
      forgetUse: backups?.uses.forget,
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
    effects: (tools) => ({ ...effects?.effects(tools), ...backups?.effects(tools), ...deletion.effects(tools) }),
  })
  const rollouts =
    hosted &&
    createRollouts({
      ...hosted,
      run: operations.run,
      findOperation: operations.find,
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
    growthOf: limits.growthOf,
  })
  const inventory = createInventory({ db, clock, log, store, events, operations, operatorOrg, backups })
  const wakeHosted = createWakeByRoll({ rollAtWake: rollouts?.rollAtWake, wake: managed.wake })
  const vaultsOf = async (orgId: string, userId: string) =>
    (await tunnels.daemonClient(orgId).listVaults({ user: userId })).vaults
  const gateway = createGateway({
    baseUrl,
    entry,
    tunnels,
    limits,
    hosted: { state: managed.findHostedState, wakeIfAsleep: managed.wakeIfAsleepBy(wakeHosted) },
    people: { ...accounts.preferences, findOrganization: organizations.find },
    listVaults: vaultsOf,
    redis,
    counters,
    trustedProxies: config.trustedProxies,
    diagramRoot: DIAGRAM_ROOT,
    clock,
    log,
  })
  const idleSleep =
    store &&
    createIdleSleep({
      store,
      idleSeconds,
      idleTime: managed.idleTime,
      daemonClient: tunnels.daemonClient,
      unlessBusy: operations.unlessBusy,
      wake: wakeHosted,
      events,
      uses: backups?.uses,
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
    recordAudit: audit.insertIn,
    reach: gateway.reach,
  })
  const agents = config.mcp.enabled
    ? createAgents({
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

  return {
    accounts,
    agents,
    audit,
    backups,
    changes,
    checkImage,
    counters,
    daemonKeys,
    effects,
    entry,
    gateway,
    idleSleep,
    inventory,
    jobs,
    lifecycle,
    limits,
    mails,
    managed,
    operations,
    organizations,
    rollouts,
    tunnels,
    vaults,
    vaultsOf,
    wakeHosted,
    wakeSettling,
    worker,
  }
}
