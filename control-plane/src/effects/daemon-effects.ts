import type { EffectTools } from '../operations/operation-engine.ts'
import type { Effects } from '../operations/operation.ts'
import { createCheckStorage, type ReadStorage } from './check-storage.ts'
import { createGrantComped, type FindEntitlement, type InstallGrant } from './grant-comped.ts'
import { createGrowStorage, type GrowthOf } from './grow-storage.ts'
import { createPutToSleep, type ForgetUse } from './put-to-sleep.ts'
import { createRollImage } from './roll-image.ts'
import { createReinstall, type LeaseAgain } from './reinstall.ts'
import { createRotateKey } from './rotate-key.ts'
import type { EffectDeps } from './spec-effect.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'

export type DaemonEffectsDeps = Omit<EffectDeps, 'events' | 'raiseEpochs'> & {
  clock: Clock
  findEntitlement: FindEntitlement
  installGrant: InstallGrant
  leaseAgain: LeaseAgain
  wakeProvisioning: (orgId: string) => Promise<void>
  readStorage: ReadStorage
  growthOf: GrowthOf
  forgetUse: ForgetUse | undefined
  resolveImage: ResolveImage
  /** Image of new hosted daemons. */
  image: string | undefined
  /** Throws image_not_allowed unless the image may run here. */
  checkImage(image: string): void
}

/** The effects of the audited actions on managed daemons. */
export function createDaemonEffects(deps: DaemonEffectsDeps) {
  return (tools: EffectTools): Effects => {
    const common = { ...deps, ...tools }
    return {
      image_roll: createRollImage(common),
      comped_grant: createGrantComped(common),
      storage_check: createCheckStorage(common),
      storage_grow: createGrowStorage(common),
      sleep: createPutToSleep(common),
      key_rotation: createRotateKey(common),
      reinstall: createReinstall(common),
    }
  }
}
