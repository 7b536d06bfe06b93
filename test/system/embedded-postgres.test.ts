import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'

const log = createLog({ service: 'test', level: 'silent' })
const folders: string[] = []

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'svc-pg-'))
  await chmod(path, 0o711)
  folders.push(path)
  return path
}

afterEach(async () => {
  for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true })
})

async function rowsOf(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // a server that goes says so between statements too; a statement then fails
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

test('data survives a restart, and a stopped server leaves no process', async () => {
  const dataDir = await folder()
  const first = await startPostgres({ folder: dataDir, log, clock: systemClock })
  const url = (await first.database('svc')).reveal()
  await rowsOf(url, 'create table kept (n int)')
  await rowsOf(url, 'insert into kept values (7)')
  await first.stop()
  await expect(first.ended).resolves.toBe(0)

  const second = await startPostgres({ folder: dataDir, log, clock: systemClock })
  expect(await rowsOf((await second.database('svc')).reveal(), 'select n from kept')).toEqual([{ n: 7 }])
  await second.stop()
})

test('a killed parent leaves no server behind, and the next start finds what was acknowledged', async () => {
  const dataDir = await folder()
  const script = `
    import { startPostgres } from '${new URL('../../embedded/database/postgres.ts', import.meta.url).href}'
    import { createLog } from '@svc/shared/kit/log.ts'
    import { systemClock } from '@svc/shared/kit/clock.ts'
    const server = await startPostgres({ folder: ${JSON.stringify(dataDir)}, clock: systemClock, log: createLog({ service: 't', level: 'silent' }) })
    process.stdout.write((await server.database('svc')).reveal())
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [address] = (await once(parent.stdout, 'data')) as [Buffer]
  await rowsOf(address.toString(), 'create table kept (n int)')
  parent.kill('SIGKILL')

  await expect
    .poll(
      () =>
        rowsOf(address.toString(), 'select 1').then(
          () => 'up',
          () => 'down',
        ),
      { timeout: 15_000 },
    )
    .toBe('down')
  const next = await startPostgres({ folder: dataDir, log, clock: systemClock })
  expect(await rowsOf((await next.database('svc')).reveal(), 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
  await next.stop()
})
