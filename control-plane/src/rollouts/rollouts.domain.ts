import type { Guards } from '../http/guards.ts'
import { rolloutsApi, type RolloutsDeps } from './rollouts-api.ts'
import { rolloutsRoutes } from './rollouts.routes.ts'

type Deps = RolloutsDeps & {
  /** Throws unless an image may run here. */
  checkImage: (image: string) => void
}
export type Rollouts = ReturnType<typeof createRollouts>

/** Fleet rollouts and their routes. */
export function createRollouts({ checkImage, ...deps }: Deps) {
  const rollouts = rolloutsApi(deps)
  return { ...rollouts, routes: (guards: Guards) => rolloutsRoutes({ guards, rollouts, checkImage }) }
}
