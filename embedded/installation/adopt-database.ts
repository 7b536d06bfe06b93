import { readdir, rename } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { waitForOrphan } from '../database/postmaster.ts'
import { readSecrets, sameSecrets, writeSecrets } from '../platform-secrets.ts'
import { findDatabases, listLegacyDatabases, type FoundDatabase } from './database-folders.ts'
import { readDataRecord, writeDataRecord } from './installation-record.ts'
import { databaseFolderOf, databaseLayout, type DataLayout } from './places.ts'
import { markDatabase, nameLegacyDatabase, refuseForeignDatabase } from './mark-database.ts'
import { moveDatabase } from './move-database.ts'
import { StartRefused } from './refusal.ts'

type Options = { layout: DataLayout; id: string | undefined; clock: Clock; log: Log; say: (line: string) => void }

/**
 * Moves a database into this data folder, together with the secrets beside it. The data folder's record is written
 * last: after a kill before that, the next start gives the same explanation, and `--adopt` can be repeated.
 */
export async function adoptDatabase(options: Options): Promise<void> {
  const { layout, id, clock, log, say } = options
  const legacy =
    id === undefined ? undefined : (await listLegacyDatabases()).find((folder) => folder.endsWith(`/${id}`))
  const database = legacy === undefined ? await choose(layout, id) : await nameLegacy(options, legacy)
  await refuseForeignDatabase(database.folder)
  await waitForOrphan(databaseLayout(database.folder).cluster, { clock, log })

  const own = await readSecrets(layout.secrets)
  const secrets = database.secrets ?? own
  if (secrets === undefined) {
    throw new StartRefused(
      `The secrets that open the keys in ${database.folder} lie neither beside it nor in ${layout.secrets}. Put secrets.json back first.`,
    )
  }
  if (own !== undefined && !sameSecrets(own, secrets)) {
    const aside = await freeName(`${layout.secrets}.replaced`)
    await rename(layout.secrets, aside)
    say(`The secrets that were here are kept as ${aside}.`)
  }
  await writeSecrets(layout.secrets, secrets)
  await markDatabase(database.folder, { id: database.id, dataDir: layout.dataDir, secrets })
  await writeDataRecord(layout, { id: database.id, database: 'made' })
  say(`${layout.dataDir} has taken over the database ${database.id} (${database.folder}).`)
}

/** This path or, where it is taken, the same with the first free number. */
async function freeName(path: string): Promise<string> {
  const taken = new Set(await readdir(dirname(path)))
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}-${number}`
    if (!taken.has(basename(name))) return name
  }
}

/**
 * The named database, otherwise the one that this data folder made, otherwise the only possible one. A data folder that
 * made a database never takes over another by itself: if its own is missing, a person has to name the other.
 */
async function choose(layout: DataLayout, id: string | undefined): Promise<FoundDatabase> {
  const databases = await findDatabases(layout)
  const record = await readDataRecord(layout)
  const wanted = id ?? record?.id
  const named = databases.filter((database) => database.id === wanted)
  const left = databases.filter(({ owner }) => owner === 'this')
  const gone = databases.filter(({ owner }) => owner === 'gone')
  const mayGuess = id === undefined && record?.database !== 'made'
  const candidates = (mayGuess ? [named, left, gone] : [named]).find((list) => list.length > 0) ?? []

  const [only, second] = candidates
  if (only === undefined) {
    const which = mayGuess ? 'no database' : `no database ${wanted}`
    const others = [...new Set([...left, ...gone].map((database) => database.id))].join(', ')
    const next = others === '' ? '' : ` npm start -- --adopt ID takes over another (${others}).`
    throw new StartRefused(
      `There is ${which} that ${layout.dataDir} could take over. npm run state lists what there is.${next}`,
    )
  }
  if (second !== undefined) {
    const ids = candidates.map((database) => database.id).join(', ')
    throw new StartRefused(`There are several databases. Name the one to take over: npm start -- --adopt ID (${ids}).`)
  }
  return only
}

/** A database of an older version gets an id, and a folder named after it. */
async function nameLegacy({ layout, clock, log }: Options, from: string): Promise<FoundDatabase> {
  const { dataDir } = layout
  const secrets = await readSecrets(layout.secrets)
  if (secrets === undefined) {
    throw new StartRefused(
      `${layout.secrets} is missing, and the keys in ${from} open with nothing else. Put it back first.`,
    )
  }
  const id = await nameLegacyDatabase({ folder: from, dataDir, secrets, clock, log })
  const folder = await databaseFolderOf(dataDir, id)
  await moveDatabase(from, folder)
  return { id, folder, dataDir, owner: 'this', secrets }
}
