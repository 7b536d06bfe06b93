import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chanceName } from '@svc/shared/kit/lock/chance-name.ts'
import { homeLayout, type HomeLayout } from './home-layout.ts'
import { misconfigured } from './start-failure.ts'

/**
 * Creates the directories of a home and proves that they can be written; returns the layout of its real path.
 * Synchronous, because nothing else can be done meanwhile.
 */
export function prepareHome(home: string): HomeLayout {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const layout = homeLayout(realpathSync.native(home))
    for (const folder of [layout.vaults, layout.daemon, layout.audit, layout.live, layout.history, layout.tmp])
      mkdirSync(folder, { recursive: true, mode: 0o700 })

    for (const folder of [layout.vaults, layout.daemon]) {
      const probe = join(folder, `.probe-${chanceName()}`)
      writeFileSync(probe, '')
      rmSync(probe)
    }
    return layout
  } catch (error) {
    throw misconfigured(`SVC_HOME ${home} cannot be written: ${(error as Error).message}`)
  }
}
