import { randomBytes } from 'node:crypto'
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { homeLayout, type HomeLayout } from './home-layout.ts'
import { misconfigured } from './start-failure.ts'

/** Makes the directories of a home and proves that they can be written; returns the layout of its real path. */
export async function prepareHome(home: string): Promise<HomeLayout> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const layout = homeLayout(await realpath(home))
    for (const folder of [layout.vaults, layout.daemon, layout.audit, layout.live, layout.history, layout.tmp])
      await mkdir(folder, { recursive: true, mode: 0o700 })

    for (const folder of [layout.vaults, layout.daemon]) {
      const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`)
      await writeFile(probe, '')
      await rm(probe)
    }
    return layout
  } catch (error) {
    throw misconfigured(`SVC_HOME ${home} cannot be written: ${(error as Error).message}`)
  }
}
