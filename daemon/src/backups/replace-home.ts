import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BackupId, RestoreSummary, type LastRestore } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { isThere, syncFolder, writeJsonFile } from '../files/durable-file.ts'
import { readOwnFile } from '../files/regular-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { isBackedUp } from './backed-up-path.ts'
import { INTENT, restoringFolder } from './restore-begun.ts'

const Restore = z.object({
  restoreId: z.string(),
  backupId: BackupId,
  at: z.iso.datetime(),
  summary: RestoreSummary,
})
type Restore = z.infer<typeof Restore>

const DONE = 'restored.json'
type Places = Pick<HomeLayout, 'home' | 'daemon' | 'index' | 'tmp' | 'vaults'>

/** Where the replaced home goes. */
export const replacedFolder = ({ daemon }: Places): string => join(daemon, 'replaced')

/** Records durably that the collected home is complete. The next start puts it in place. */
export async function intendRestore(layout: Places, restore: Restore): Promise<void> {
  await rm(replacedFolder(layout), { recursive: true, force: true })
  await writeJsonFile(layout.daemon, INTENT, restore)
}

/** Takes back durably what `intendRestore` recorded, if it did. */
export async function dropIntent(layout: Places): Promise<void> {
  await rm(join(layout.daemon, INTENT), { force: true })
  await syncFolder(layout.daemon)
}

/**
 * Replaces the home with a collected one, before any of it is opened. Each step is a rename that may have happened
 * already, so the next start continues after a kill. The replaced home is kept in `daemon/replaced` until the next
 * backup. Returns the restore, or undefined if there was nothing to do.
 */
export async function replaceHome(layout: Places): Promise<Restore | undefined> {
  const text = await readOwnFile(join(layout.daemon, INTENT))
  if (text === undefined) {
    await rm(restoringFolder(layout), { recursive: true, force: true })
    return undefined
  }
  const restore = Restore.parse(JSON.parse(text))
  const staged = restoringFolder(layout)
  const replaced = replacedFolder(layout)
  await mkdir(join(replaced, 'daemon'), { recursive: true, mode: 0o700 })

  if (await isThere(join(staged, 'vaults'))) {
    await putAside(layout.vaults, join(replaced, 'vaults'))
    await rename(join(staged, 'vaults'), layout.vaults)
  }
  const state = join(staged, 'daemon')
  const ready = join(staged, 'daemon.ready')
  if (await isThere(state)) {
    for (const name of await readdir(layout.daemon))
      if (isBackedUp(`daemon/${name}`)) await putAside(join(layout.daemon, name), join(replaced, 'daemon', name))
    await rename(state, ready)
  }
  if (await isThere(ready))
    for (const name of await readdir(ready)) {
      await rm(join(layout.daemon, name), { recursive: true, force: true }) // created empty by this start
      await rename(join(ready, name), join(layout.daemon, name))
    }
  await syncFolder(layout.home)
  await rm(layout.index, { recursive: true, force: true })
  await writeJsonFile(layout.daemon, DONE, restore)
  await rm(join(layout.daemon, INTENT))
  await rm(staged, { recursive: true, force: true })
  await syncFolder(layout.daemon)
  return restore
}

/** The restore that last filled this home. */
export async function findLastRestore(layout: Places): Promise<LastRestore['restore']> {
  const text = await readOwnFile(join(layout.daemon, DONE))
  return text === undefined ? null : Restore.parse(JSON.parse(text))
}

/** Moves a path aside. If a killed start did that already, the present content was created empty by this start. */
async function putAside(path: string, aside: string): Promise<void> {
  if (!(await isThere(path))) return
  if (await isThere(aside)) await rm(path, { recursive: true })
  else await rename(path, aside)
}
