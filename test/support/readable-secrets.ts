import type pg from 'pg'
import { PASSWORD } from './person.ts'

/** A whole daemon key. Masked keys only show the beginning and the last four characters. */
const DAEMON_KEY = 'svc_dmn_[0-9A-Za-z]{43}'
const SECRET = `${DAEMON_KEY}|${PASSWORD}`

/**
 * Fails if a text contains a daemon key, or the password of the people in the tests, in plain text. The message names
 * the place but not the secret.
 */
export function refuseReadableSecrets(place: string, text: string): void {
  const found = new RegExp(SECRET).exec(text)
  if (found === null) return
  const what = found[0] === PASSWORD ? 'the password of a person' : 'a daemon key'
  throw new Error(`${place} holds ${what} readably: ${text.slice(Math.max(0, found.index - 80), found.index)}…`)
}

/** Fails if a row of any table contains such a secret, including the tables of the job queue and of the resources. */
export async function refuseStoredSecrets(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query<{ schema: string; name: string }>(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  if (tables.length === 0) return
  const looks = tables.map(({ schema, name }) => {
    const place = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`
    return `(select ${client.escapeLiteral(place)} as place, r::text as row from ${place} r where r::text ~ $1 limit 1)`
  })
  // A test may leave a transaction open that locks a table.
  await client.query(`set lock_timeout = '30s'`)
  const { rows } = await client.query<{ place: string; row: string }>(looks.join(' union all '), [SECRET])
  for (const { place, row } of rows) refuseReadableSecrets(place, row)
}
