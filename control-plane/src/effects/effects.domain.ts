import type { EffectTools } from '../operations/operations-api.ts'
import type { Effects } from '../operations/operation.ts'
import { checkStorage, type ReadStorage } from './check-storage.ts'
import { grantComped } from './grant-comped.ts'
import { growStorage } from './grow-storage.ts'
import { putToSleep } from './put-to-sleep.ts'
import type { GrantsRepository, InstallGrant } from './grants.repository.ts'
import { rollImage } from './roll-image.ts'
import { reinstall, type LeaseAgain } from './reinstall.ts'
import { rotateKey } from './rotate-key.ts'
import type { EffectDeps } from './spec-effect.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'

export type AdminEffectsDeps = Omit<EffectDeps, 'events' | 'raiseEpochs'> & {
  clock: Clock
  grants: GrantsRepository
  installGrant: InstallGrant
  leaseAgain: LeaseAgain
  wakeProvisioning: (orgId: string) => Promise<void>
  readStorage: ReadStorage
  resolveImage: ResolveImage
  /** Image of new hosted daemons. */
  image: string | undefined
}

/** What the audited actions on managed daemons do. */
export function adminEffects(deps: AdminEffectsDeps) {
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
