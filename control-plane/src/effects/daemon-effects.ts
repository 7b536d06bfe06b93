import type { EffectTools } from '../operations/operation-engine.ts'
import type { Effects } from '../operations/operation.ts'
import { checkStorage, type ReadStorage } from './check-storage.ts'
import { grantComped, type FindEntitlement, type InstallGrant } from './grant-comped.ts'
import { growStorage } from './grow-storage.ts'
import { putToSleep } from './put-to-sleep.ts'
import { rollImage } from './roll-image.ts'
import { reinstall, type LeaseAgain } from './reinstall.ts'
import { rotateKey } from './rotate-key.ts'
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
  resolveImage: ResolveImage
  /** Image of new hosted daemons. */
  image: string | undefined
}

/** What the audited actions on managed daemons do. */
export function daemonEffects(deps: DaemonEffectsDeps) {
  return (tools: EffectTools): Effects => {
    const common = { ...deps, ...tools }
    return {
      image_roll: rollImage(common),
      comped_grant: grantComped(common),
      storage_check: checkStorage(common),
      storage_grow: growStorage(common),
      sleep: putToSleep(common),
      key_rotation: rotateKey(common),
      reinstall: reinstall(common),
    }
  }
}
