import { spawn } from 'node:child_process'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseLayout } from '../installation/places.ts'
import { syncFolder } from '../installation/small-file.ts'
import { exitOf, lastLines } from './child-process.ts'
import { giveFolder } from './database-user.ts'
import { asNamedUser, NamelessUser } from './named-user.ts'
import { ownFolder, type Owner } from './own-folder.ts'

/** True when a complete database cluster exists in this folder. */
export const hasCluster = (folder: string) =>
  stat(join(databaseLayout(folder).cluster, 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
      return false
    },
  )

/** Creates a database cluster under a temporary name first, so that a killed start leaves no incomplete one. */
export async function makeCluster({
  folder,
  bin,
  owner,
}: {
  folder: string
  bin: string
  owner: Owner
}): Promise<void> {
  const { cluster } = databaseLayout(folder)
  const draft = `${cluster}.new`
  await rm(draft, { recursive: true, force: true })
  const initdb = join(bin, 'initdb')
  const flags = ['--pgdata', draft, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C']
  const { program, args, owner: maker, inNamespace } = await asNamedUser(initdb, flags)
  await ownFolder(draft, { owner: maker, mode: 0o700 })

  const child = spawn(program, args, {
    ...maker,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = lastLines(child)
  const code = await exitOf(child).catch((cause: unknown) => {
    throw inNamespace ? new NamelessUser({ cause }) : cause
  })
  if (code !== 0 && inNamespace && !said().includes('initdb:')) throw new NamelessUser({ cause: said() })
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`)
  await giveFolder(draft, owner)
  await rename(draft, cluster)
  await syncFolder(folder)
}
