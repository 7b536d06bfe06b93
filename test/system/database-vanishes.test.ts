import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { databaseFailure } from '../../control-plane/src/db/database-failure.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createInBatches } from '../../control-plane/src/db/in-batches.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

// A database whose host vanishes: its connections stay open, but nothing comes back on them. New ones reach another
// host. A proxy before a real database does that.
const SILENT_MS = 3_000
let database: TestDatabase
let proxy: Server
let url: Secret
let opened: ReturnType<typeof openDatabase>
/** The pairs of connections that are forwarded. */
let forwarded: [Socket, Socket][] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const { host, port } = new pg.Client(database.url.reveal())
  const server = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  proxy = createServer((client) => {
    const behind = connect(server)
    forwarded.push([client, behind])
    client.pipe(behind).pipe(client)
    for (const side of [client, behind]) side.on('error', () => {})
    client.once('close', () => behind.destroy())
    behind.once('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(database.url.reveal())
  through.search = ''
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  url = new Secret(through.toString())
})
afterEach(() => opened.close())
afterAll(async () => {
  proxy.close()
  await database.drop()
})

const log = createLog({ service: 'test', level: 'silent' })
const open = (limit: { silentMs?: number } = {}) => (opened = openDatabase({ url, log, max: 1, ...limit }))
const pid = async () => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(opened.db)
  return rows[0]!.pid
}
const vanish = () => {
  for (const [client, server] of forwarded) {
    client.unpipe(server)
    server.unpipe(client)
    client.resume()
  }
  forwarded = []
}

test('a statement that gets no answer fails, and its connection makes place for the next one', async () => {
  open({ silentMs: SILENT_MS })
  const before = await pid()
  vanish()
  const failure = await pid().catch(databaseFailure)
  expect(failure).toMatchObject({ code: 'database_unavailable' })
  expect(await pid()).not.toBe(before)
})

test('work that waits for a statement without an answer is done after it', async () => {
  const { db } = open({ silentMs: SILENT_MS })
  const double = createInBatches({
    run: async (items: number[]) => {
      const { rows } = await sql<{ twice: number }>`select 2 * unnest(${items}::int[]) as twice`.execute(db)
      return rows.map(({ twice }) => twice)
    },
    most: 1,
  })
  expect(await double(1)).toBe(2)
  vanish()
  const [lost, next] = await Promise.allSettled([double(2), double(3)])
  expect([lost.status, next]).toEqual(['rejected', { status: 'fulfilled', value: 6 }])
})

test('a connection on which no statement runs may be silent', async () => {
  open({ silentMs: SILENT_MS })
  const [first, second] = await opened.db.connection().execute(async (connection) => {
    const ask = sql<{ pid: number }>`select pg_backend_pid() as pid`
    const { rows } = await ask.execute(connection)
    await systemClock.sleep(1.5 * SILENT_MS)
    return [rows, (await ask.execute(connection)).rows]
  })
  expect(second).toEqual(first)
})

test.runIf(process.platform === 'linux')(
  'the kernel asks whether the other end of a silent connection is there',
  async () => {
    open()
    await pid()
    const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')
    const { port } = proxy.address() as AddressInfo
    const own = forwarded.at(-1)![0].remotePort!
    // proc(5): of each connection its addresses, state, queues and timer; 02 is the one of keep-alive.
    const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n')
    const line = lines.find((one) => one.includes(`:${hex(own)} 0100007F:${hex(port)} `))
    expect(line).toMatch(/ [0-9A-F]{8}:[0-9A-F]{8} 02:/)
  },
)
