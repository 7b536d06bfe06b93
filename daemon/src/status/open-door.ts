import { frontDoor, type FrontDoor } from '../http/front-door.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { earlyAnswers } from './early-answers.ts'

type Vaults = Pick<VaultRegistry, 'isReady' | 'refused'>

/** The server of a daemon. It reports health and readiness before the vaults are open. */
export type Door = FrontDoor & {
  /** The vaults are open: from now on they determine readiness. */
  opened(vaults: Vaults): void
  isReady(): boolean
}

type Options = {
  layout: HomeLayout
  allowedHosts: readonly string[]
  /** Called when the routes could not be loaded. */
  onFailure(error: unknown): void
}

export function openDoor({ layout, allowedHosts, onFailure }: Options): Door {
  let vaults: Vaults | undefined
  const isReady = () => vaults?.isReady() ?? false
  const answers = earlyAnswers({ layout, isReady, refused: () => vaults?.refused() ?? [] })
  return {
    ...frontDoor({ allowedHosts, answers, onFailure }),
    isReady,
    opened: (opened) => void (vaults = opened),
  }
}
