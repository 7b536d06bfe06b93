import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ServiceClaims } from '@svc/shared/wire/assertions.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Config } from '../config.ts'
import type { Guards } from '../http/guards.ts'
import { createDaemonWaiter } from '../managed-daemons/daemon-waiter.ts'
import type { ManagedDaemons } from '../managed-daemons/managed-daemons.domain.ts'
import type { EffectTools } from '../operations/operation-engine.ts'
import type { Effects } from '../operations/operation.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import type { ReadStorage } from './check-storage.ts'
import { confirmedOperationsRoutes } from './confirmed-operations.routes.ts'
import { createDaemonEffects } from './daemon-effects.ts'
import type { FindRecord } from './derive-roll-id.ts'
import type { GrowthOf } from './grow-storage.ts'
import type { ForgetUse } from './put-to-sleep.ts'
import { createAdmitHosted, type FindOrganization } from './hosted-organization.ts'
import { imageRollRoutes } from './image-roll.routes.ts'

type Act = ServiceClaims['act']

type Deps = {
  clock: Clock
  log: Log
  store: ManagedDaemonStore
  managed: ManagedDaemons
  image: Config['managedDaemons']['image']
  /** Wakes the provisioner early; it works from the lease. */
  wakeProvisioning(orgId: string): Promise<void>
  daemonClient(orgId: string): { storage(act: Act): Promise<{ storage: Awaited<ReturnType<ReadStorage>> }> }
  resolveImage: ResolveImage
  growthOf: GrowthOf
  forgetUse: ForgetUse | undefined
  /** Throws image_not_allowed unless the image may run here. */
  checkImage(image: string): void
  /** How long an execution waits for the runtime before the operation becomes retryable. */
  timeoutMs: number
}

type RouteDeps = {
  guards: Guards
  run: RunOperation
  findOrganization: FindOrganization
  findOperation: FindRecord
}

/** The audited actions on managed daemons: their effects and routes. */
export function createEffects({ clock, log, store, managed, resolveImage, daemonClient, ...deps }: Deps) {
  const waiter = createDaemonWaiter({ store, clock, log })
  const effects = createDaemonEffects({
    ...deps,
    store,
    waiter,
    clock,
    resolveImage,
    readStorage: async ({ orgId, actor }) => {
      const act = actor.kind === 'user' ? { user: actor.id } : { system: actor.id }
      return (await daemonClient(orgId).storage(act)).storage
    },
    findEntitlement: managed.findEntitlement,
    installGrant: managed.installGrant,
    leaseAgain: managed.records.updateReinstall,
  })

  return {
    effects: (tools: EffectTools): Effects => effects(tools),
    routes: ({ guards, run, findOrganization, findOperation }: RouteDeps) => {
      const { checkImage } = deps
      const admit = createAdmitHosted(findOrganization)
      return [
        imageRollRoutes({ guards, run, store, checkImage, resolveImage, admitHosted: admit, findOperation }),
        confirmedOperationsRoutes({ guards, run, findOrganization, admitHosted: admit }),
      ]
    },
    close: waiter.close,
  }
}
