import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { openInstallation } from '../../embedded/installation/open-installation.ts'
import { completePending } from '../../embedded/installation/pending.ts'
import { databaseLayout, dataLayout } from '../../embedded/installation/places.ts'
import { removeFolder } from './remove-folder.ts'

const program = fileURLToPath(new URL('./dying-installation.ts', import.meta.url))

export type Action = 'adopt' | 'reset' | 'restore' | 'start'

/**
 * What a start finds: the database, the vaults and the secrets, each identified by a text; or the reason why it
 * refuses.
 */
export type Opened = { id: string; database: string; vault: string; secret: string } | { refused: string }

const secretOf = (name: string) => name.padEnd(43, '_')
const secretsOf = (name: string) =>
  JSON.stringify({ authSecret: secretOf(name), operatorOrg: `org_${name.slice(0, 1).repeat(24)}` })
const put = async (path: string, text: string) => {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text)
}

/** A database folder that looks valid to everything except Postgres. */
export async function putDatabase(dataDir: string, id: string, name: string): Promise<void> {
  const { cluster, record, secrets } = databaseLayout(dataLayout(dataDir).database(id))
  await put(join(cluster, 'PG_VERSION'), '18')
  await put(join(cluster, 'name'), name)
  await put(record, JSON.stringify({ format: 1, id, dataDir }))
  await put(secrets, secretsOf(name))
}

/** The parts of an installation besides its database: in the data folder itself, or where a restore unpacks them. */
export async function putParts(folder: string, name: string): Promise<void> {
  await put(join(folder, 'secrets.json'), secretsOf(name))
  await put(join(folder, 'daemons/one/vault'), name)
  await put(join(folder, 'images/one'), name)
}

export const putRecord = (dataDir: string, id: string) =>
  put(dataLayout(dataDir).record, JSON.stringify({ format: 1, id, database: 'made' }))

/** Opens the installation as a start does. */
export async function opened(dataDir: string): Promise<Opened> {
  const layout = dataLayout(dataDir)
  const log = createLog({ service: 'test', level: 'silent' })
  try {
    await completePending(layout, () => {})
    const { id, secrets, databaseFolder } = await openInstallation({ layout, clock, log, say: () => {} })
    const text = (path: string) => readFile(path, 'utf8').catch(() => '')
    return {
      id,
      database: await text(join(databaseLayout(databaseFolder).cluster, 'name')),
      vault: await text(join(layout.daemons, 'one/vault')),
      secret: secrets.authSecret.reveal().replaceAll('_', ''),
    }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

type Kills = {
  action: Action
  /** A data folder in its initial state; it is copied for each kill. */
  from: string
  /** Picks the changes of the file system to die before, given their number. */
  pick: (changes: number) => number[]
  file?: string
  /** Called with the data folder after each kill; its path is the same each time. */
  after: (dataDir: string, dieAt: number) => Promise<void>
}

/** Executes an order once to count its changes, then again and again, killed before each picked change. */
export async function killAtEachChange({ action, from, pick, file = '', after }: Kills): Promise<number> {
  const kept = `${from}.before`
  await cp(from, kept, { recursive: true, verbatimSymlinks: true })
  const run = async (dieAt: number) => {
    await removeFolder(from)
    await cp(kept, from, { recursive: true, verbatimSymlinks: true })
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, action, from, String(dieAt), file], {
      encoding: 'utf8',
    })
    if (dieAt === 0 && status !== 0) throw new Error(stderr)
    return Number(stdout)
  }
  const changes = await run(0)
  await after(from, changes + 1)
  for (const dieAt of pick(changes)) {
    await run(dieAt)
    await after(from, dieAt)
  }
  return changes
}

/** The names in a data folder. */
export const namesOf = async (dataDir: string) => (await readdir(dataDir)).toSorted()
