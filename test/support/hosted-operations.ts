import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { createDaemonEffects } from '../../control-plane/src/effects/daemon-effects.ts'
import type { ReadStorage } from '../../control-plane/src/effects/check-storage.ts'
import { createDaemonWaiter } from '../../control-plane/src/managed-daemons/daemon-waiter.ts'
import type { Db } from '../../control-plane/src/db/database.ts'
import { entitlementsRepository } from '../../control-plane/src/managed-daemons/entitlements.repository.ts'
import { managedDaemonsRepository } from '../../control-plane/src/managed-daemons/managed-daemons.repository.ts'
import { createBeginDeletion } from '../../control-plane/src/organization-lifecycle/delete-organization.ts'
import { organizationDeletionsRepository } from '../../control-plane/src/organization-lifecycle/organization-deletions.repository.ts'
import { organizationsRepository } from '../../control-plane/src/organizations/organizations.repository.ts'
import { ledgerRepository } from '../../control-plane/src/billing/ledger.repository.ts'
import { createTearDown } from '../../control-plane/src/organization-lifecycle/tear-down.ts'
import { createOperations, type Operations } from '../../control-plane/src/operations/operations.domain.ts'
import type { EffectTools } from '../../control-plane/src/operations/operation-engine.ts'
import { createAllowedImages } from '../../control-plane/src/registry/allowed-image.ts'
import { FIRST_IMAGE, IMAGES } from './hosted-world.ts'

type Options = {
  db: Db
  store: ManagedDaemonStore
  log: Log
  executor: string
  clock?: Clock
  timeoutMs?: number
  readStorage?: ReadStorage
  settle?: (orgId: string) => Promise<void>
  /** If absent, this process executes the operations that it starts. */
  wake?: (operationId: string) => Promise<void>
}

const quietDaemon: ReadStorage = async () => ({ usedBytes: 4096, freeBytes: 1_000_000 })

/** The operation engine with every effect, composed as in app.ts, on a database and a store of a test. */
export function hostedOperations(options: Options): Operations & { close(): void } {
  const { db, store, log, executor, clock = systemClock, timeoutMs = 20_000 } = options
  const daemons = managedDaemonsRepository(db, clock)
  const entitlements = entitlementsRepository(db, clock)
  const waiter = createDaemonWaiter({ store, clock: systemClock, log })
  const effects = createDaemonEffects({
    store,
    waiter,
    clock,
    timeoutMs,
    findEntitlement: entitlements.find,
    installGrant: async (trx, grant) =>
      (await entitlements.insertComped(trx, grant)) && daemons.insertLease(trx, { ...grant, action: 'comped_grant' }),
    leaseAgain: daemons.updateReinstall,
    wakeProvisioning: options.settle ?? (async () => {}),
    forgetUse: undefined,
    growthOf: async () => ({ maxSize: undefined, abovePercent: 80 }),
    readStorage: options.readStorage ?? quietDaemon,
    resolveImage: async (image) => image,
    image: FIRST_IMAGE,
    checkImage: createAllowedImages({ repository: IMAGES, digests: 'required', registry: { url: undefined } }),
  })
  const organizations = organizationsRepository(db, clock)
  const deletions = organizationDeletionsRepository(db, clock)
  const deletion = ({ events, fencedTransaction }: EffectTools) =>
    createTearDown({
      events,
      fencedTransaction,
      findTombstone: deletions.findTombstone,
      clock: systemClock,
      timeoutMs,
      beginDeletion: createBeginDeletion({
        organizations,
        deletions,
        hasPaymentHistory: ledgerRepository(db, clock).hasPaymentHistory,
        markDaemon: daemons.updateDeleting,
        revoke: async () => {},
      }),
      wakeTeardown: options.settle ?? (async () => {}),
    })
  const never = new AbortController().signal
  const wake =
    options.wake ??
    (async (operationId: string) => {
      void operations.execute(operationId, never).catch((error: unknown) => log.error({ err: error }, 'execution'))
    })
  const operations = createOperations({
    db,
    clock,
    log,
    executor,
    effects: (tools) => ({ ...effects(tools), deletion: deletion(tools) }),
    wake,
    isLiving: async () => true,
  })
  return { ...operations, close: waiter.close }
}
