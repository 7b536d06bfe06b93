import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Db } from '../../control-plane/src/db/database.ts'

type Row = { table: string; text: string }

/** Every row of every table as text, including those of the job queue and the resources. */
async function rowsOf(db: Db): Promise<Row[]> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(db)
  const found = await Promise.all(
    tables.map(async ({ schema, name }) => {
      const { rows } = await sql<{
        text: string
      }>`select r::text as text from ${sql.table(`${schema}.${name}`)} r`.execute(db)
      return rows.map(({ text }) => ({ table: `${schema}.${name}`, text }))
    }),
  )
  return found.flat()
}

/** The forms in which a secret may be stored: as text, and as a binary column shows its bytes. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
]

/** Tables that contain one of these secrets readably, as `table: name of the secret`. */
export async function findStored(db: Db, secrets: Record<string, string>): Promise<string[]> {
  const rows = await rowsOf(db)
  return findIn(
    rows.map(({ table, text }) => [table, text]),
    secrets,
  )
}

/** Texts that contain one of these secrets, as `name of the text: name of the secret`. */
export function findIn(texts: readonly (readonly [string, string])[], secrets: Record<string, string>): string[] {
  const found = texts.flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([name]) => `${place}: ${name}`),
  )
  return [...new Set(found)].toSorted()
}

/** The command line of every process of this machine, as any user can read it. */
export async function listCommandLines(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.map((line) => line.replaceAll('\0', ' ')).join('\n')
}
