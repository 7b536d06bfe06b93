import type { FoundDatabase } from './database-folders.ts'

/** What a start finds in the data folder and around it. */
export type StartFacts = {
  dataDir: string
  /** The id that the data folder holds. */
  record: { id: string; database: 'none' | 'made' } | undefined
  /** The secrets file of the data folder, compared with the copy beside the database of its id. */
  secrets: 'absent' | 'present' | 'differ'
  /** Whether managed daemons have files here. */
  daemons: 'absent' | 'present'
  databases: Pick<FoundDatabase, 'id' | 'folder' | 'dataDir' | 'owner'>[]
  /** A database of this data folder from before installations had ids; with an id if a migration was interrupted. */
  legacy: { folder: string; id: string | undefined } | undefined
  /** Where the database with the record's id was expected. */
  places: string[]
}

/** What a start does: create, continue, migrate the layout of an older version, or explain why it cannot start. */
export type StartDecision =
  | { kind: 'begin' }
  | { kind: 'open'; folder: string }
  | { kind: 'migrate'; from: string }
  | { kind: 'refuse'; message: string }

const adopt = 'npm start -- --adopt'
const reset = 'npm start -- --reset lists what is left, deletes it and begins anew'

/** Decides how a start continues. Data folder and database belong together: one without the other is never "new". */
export function decideStart(facts: StartFacts): StartDecision {
  return facts.record === undefined ? withoutRecord(facts) : withRecord(facts, facts.record)
}

function withRecord(facts: StartFacts, record: NonNullable<StartFacts['record']>): StartDecision {
  const { dataDir, places } = facts
  const [database, second] = facts.databases.filter(({ id }) => id === record.id)
  if (database === undefined) {
    if (facts.legacy?.id === record.id) return { kind: 'migrate', from: facts.legacy.folder }
    if (record.database === 'none') return { kind: 'begin' } // ended before its database was made
    return refuse(
      `The database of the installation ${record.id} in ${dataDir} is missing (looked for ${places.join(' and ')}). ` +
        `Put it back, bring back a backup with npm run restore, or begin anew: ${reset}.${others(facts)}`,
    )
  }
  if (second !== undefined) {
    return refuse(
      `The installation ${record.id} has two databases, ${database.folder} and ${second.folder}. ` +
        'Move the one that is out of date to another place and start again.',
    )
  }
  if (database.owner === 'other') {
    return refuse(
      `${dataDir} is a copy: its database ${database.id} (${database.folder}) belongs to ${database.dataDir}. ` +
        `${adopt} takes the database away from there; npm run backup and npm run restore make a copy that stands alone; ` +
        `${reset}.`,
    )
  }
  if (facts.secrets === 'absent') {
    return refuse(
      `${dataDir}/secrets.json is missing, and the keys in the database ${database.id} open with nothing else. ` +
        `${adopt} brings back the copy that lies beside the database; ${reset}.`,
    )
  }
  if (facts.secrets === 'differ') {
    return refuse(
      `${dataDir}/secrets.json does not belong to the database ${database.id} (${database.folder}). ` +
        `${adopt} takes the secrets that lie beside the database; ${reset}.`,
    )
  }
  return { kind: 'open', folder: database.folder }
}

function withoutRecord(facts: StartFacts): StartDecision {
  const { dataDir, legacy } = facts
  const left = facts.databases.find(({ owner, folder }) => owner === 'this' || folder.startsWith(`${dataDir}/`))
  if (left !== undefined) {
    return refuse(
      `The database ${left.id} (${left.folder}) belongs to an installation in ${dataDir} that is not there any more. ` +
        `${adopt} takes it over, with its accounts and organizations; ${reset}.`,
    )
  }
  if (legacy !== undefined) {
    if (facts.secrets !== 'absent') return { kind: 'migrate', from: legacy.folder }
    return refuse(
      `There is a database of ${dataDir} in ${legacy.folder}, but ${dataDir}/secrets.json, which opens its keys, is missing. ` +
        `Put the file back and start again, or begin anew: ${reset}.`,
    )
  }
  if (facts.daemons === 'present') {
    return refuse(
      `There are vaults in ${dataDir}, but no database that belongs to them. ` +
        `Put it back, bring back a backup with npm run restore, or begin anew: ${reset}.${others(facts)}`,
    )
  }
  return { kind: 'begin' }
}

/** The missing database may be one whose data folder is gone. */
function others({ databases }: StartFacts): string {
  const gone = databases.filter(({ owner }) => owner === 'gone').map(({ id }) => id)
  return gone.length === 0 ? '' : ` Databases without an installation: ${gone.join(', ')} (${adopt} ID takes one over).`
}

const refuse = (message: string): StartDecision => ({ kind: 'refuse', message })
