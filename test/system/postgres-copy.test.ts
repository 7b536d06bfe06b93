import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { auditRepository, PLATFORM } from '../../control-plane/src/audit/audit.repository.ts'
import { APP_ROLE, makeAppRole } from '../../control-plane/src/db/app-role.ts'
import { openDatabase, type Db } from '../../control-plane/src/db/database.ts'
import { pendingMigrations } from '../../control-plane/src/db/migrator.ts'
import { updateSchema } from '../../control-plane/src/update-schema.ts'
import { startPostgres, type EmbeddedPostgres } from '../../embedded/database/postgres.ts'
import { verifies } from '../requirements.ts'
import { debianPostgres } from '../support/debian-postgres.ts'
import { removeFolder } from '../support/remove-folder.ts'

const log = createLog({ service: 'test', level: 'silent' })
const run = promisify(execFile)
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const

let folder: string
let programs: string
let server: EmbeddedPostgres
let original: Secret

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-copy-'))
  await chmod(folder, 0o711)
  programs = await debianPostgres(folder)
  server = await startPostgres({ folder: join(folder, 'server'), clock: systemClock, log, programs })
  original = await server.database('svc')
  await within(original, async (db) => {
    await makeAppRole(db, undefined)
    await updateSchema({ db, url: original, jobs: 'postgres' })
    const audit = auditRepository(db, systemClock)
    for (const event of ['one', 'two', 'three'])
      await audit.insert(PLATFORM, { event, actor, reason: 'Ä€𝄞 \\ "quoted"' })
  })
}, 600_000)
afterAll(async () => {
  await server?.stop()
  await removeFolder(folder)
})

async function within<T>(url: Secret, work: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = openDatabase({ url, log, max: 1 })
  return work(db).finally(close)
}

/** The command from docs/OPERATIONS.md. */
const dump = (url: Secret, file: string) =>
  run(join(programs, 'pg_dump'), ['--format=custom', `--file=${file}`, url.reveal()])
const restore = (url: Secret, file: string) =>
  run(join(programs, 'pg_restore'), [
    `--dbname=${url.reveal()}`,
    '--clean',
    '--if-exists',
    '--single-transaction',
    file,
  ])

/** Every row of every table as text, by table. */
const contents = (url: Secret) =>
  within(url, async (db) => {
    const { rows } = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`.execute(db)
    const found: Record<string, string[]> = {}
    for (const { name } of rows) {
      const all = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t order by 1`.execute(db)
      found[name] = all.rows.map(({ row }) => row)
    }
    return found
  })

test('a copy by pg_dump becomes the same database by pg_restore, with its audit and the rights of its role', async () => {
  verifies('cp.database-copy')
  const file = join(folder, 'svc.dump')
  await dump(original, file)
  const restored = await server.database('restored')
  await restore(restored, file)

  const before = await contents(original)
  expect(Object.keys(before).length).toBeGreaterThan(30)
  expect(await contents(restored)).toEqual(before)
  const byRole = new URL(restored.reveal())
  byRole.username = APP_ROLE
  await within(new Secret(byRole.toString()), async (db) => {
    expect(await pendingMigrations(db)).toEqual([])
    const audit = auditRepository(db, systemClock)
    await audit.insert(PLATFORM, { event: 'four', actor })
    expect((await audit.listAfter(PLATFORM, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    await expect(sql`drop table organization`.execute(db)).rejects.toMatchObject({ code: '42501' })
    await expect(sql`delete from audit_entries`.execute(db)).rejects.toMatchObject({ code: '42501' })
  })

  // Restore over a database that is in use: its content is replaced.
  await restore(restored, file)
  expect(await contents(restored)).toEqual(before)
})

test('a copy that was cut off restores nothing, and leaves what was there', async () => {
  verifies('cp.database-copy')
  const file = join(folder, 'whole.dump')
  await dump(original, file)
  const cut = join(folder, 'cut.dump')
  const bytes = await readFile(file)
  await writeFile(cut, bytes.subarray(0, bytes.length / 2))
  const before = await contents(original)
  await expect(restore(original, cut)).rejects.toMatchObject({ code: 1 })
  expect(await contents(original)).toEqual(before)
})
