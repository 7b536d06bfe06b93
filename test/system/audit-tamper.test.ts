import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import pg from 'pg'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createAudit } from '../../control-plane/src/audit/audit.domain.ts'
import { deriveAuditKey } from '../../control-plane/src/audit/audit-key.ts'
import { auditRepository, PLATFORM } from '../../control-plane/src/audit/audit.repository.ts'
import { verifyExport } from '../../control-plane/src/audit/export-audit.ts'
import { verifyAudit } from '../../control-plane/src/audit/verify-audit.ts'
import { rowHash } from '../../control-plane/src/audit/verify-chain.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const log = createLog({ service: 'test', level: 'fatal' })
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const ROWS = 20
const secret = new Secret('the secret of this test')

async function* from(lines: string[]): AsyncGenerator<string> {
  yield* lines
}
async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = []
  for await (const line of lines) collected.push(line)
  return collected
}

let database: TestDatabase
let connection: ReturnType<typeof openDatabase>
let audit: ReturnType<typeof createAudit>
let chain: string
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + offset) }

beforeAll(async () => {
  database = await createTestDatabase()
  connection = openDatabase({ url: database.url, log, max: 10 })
  audit = createAudit({ db: connection.db, clock, log, secret })
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})
beforeEach(async () => {
  offset = 0
  chain = newId('org_')
  for (let row = 0; row < ROWS; row++)
    await audit.insert(chain, { event: 'test.happened', actor, reason: `row ${row}` })
})

/** Changes rows as somebody who owns the server and turns the triggers off. */
async function tamper(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: database.url.reveal() })
  await client.connect()
  try {
    await client.query("set session_replication_role = 'replica'")
    for (const statement of statements) await client.query(statement, [chain])
  } finally {
    await client.end()
  }
}
const first = async () => (await audit.verify(chain)).broken[0]

describe('verify names the first broken row', () => {
  test('of a sound chain: none', async () => {
    expect(await audit.verify(chain)).toMatchObject({ entries: ROWS, broken: [] })
  })

  test('whose record was changed', async () => {
    verifies('security.audit-chain')
    await tamper(`update audit_entries set record = replace(record, 'row 6', 'row x') where chain = $1`)
    expect(await first()).toEqual({ chain, seq: 7, problem: 'hash_differs' })
  })

  test('that is missing', async () => {
    await tamper(`delete from audit_entries where chain = $1 and seq = 9`)
    expect(await first()).toEqual({ chain, seq: 9, problem: 'row_missing' })
  })

  test('after one that was changed together with its hash', async () => {
    const { rows } = await connection.pool.query('select * from audit_entries where chain = $1 and seq = 5', [chain])
    const record = (rows[0].record as string).replace('row 4', 'row x')
    const hash = rowHash(chain, { seq: 5, previousHash: rows[0].previous_hash, record })
    await tamper(`update audit_entries set record = '${record}', hash = '${hash}' where chain = $1 and seq = 5`)
    expect(await first()).toEqual({ chain, seq: 6, problem: 'link_differs' })
  })

  test('that was exchanged with another', async () => {
    await tamper(
      `update audit_entries set seq = 1000 where chain = $1 and seq = 3`,
      `update audit_entries set seq = 3 where chain = $1 and seq = 4`,
      `update audit_entries set seq = 4 where chain = $1 and seq = 1000`,
    )
    expect(await first()).toEqual({ chain, seq: 3, problem: 'hash_differs' })
  })

  test('after which the tail was cut: the signed checkpoint shows it', async () => {
    verifies('security.audit-checkpoints')
    await audit.checkpoint()
    await tamper(`delete from audit_entries where chain = $1 and seq > 12`)
    expect(await first()).toEqual({ chain, seq: 13, problem: 'tail_cut' })
  })

  test('when the whole chain was written anew: the signed checkpoint shows it', async () => {
    await audit.checkpoint()
    await tamper(`delete from audit_entries where chain = $1`)
    for (let row = 0; row < ROWS + 5; row++) await audit.insert(chain, { event: 'test.forged', actor })
    expect(await first()).toEqual({ chain, seq: ROWS, problem: 'hash_differs' })
  })

  test('when a checkpoint was forged', async () => {
    verifies('security.audit-checkpoints')
    await audit.checkpoint()
    await tamper(`update audit_checkpoints set hash = repeat('0', 64) where chain = $1`)
    expect(await first()).toEqual({ chain, seq: ROWS, problem: 'signature_differs' })
  })

  test('that holds what no record may hold', async () => {
    const record = `{"actor":{"id":"x","kind":"user"},"at":"2026-01-01T00:00:00.000Z","event":"test.x","notePath":"secret.md"}`
    await connection.pool.query('insert into audit_entries (chain, record) values ($1, $2)', [chain, record])
    expect(await first()).toEqual({ chain, seq: ROWS + 1, problem: 'record_not_valid' })
  })
})

describe('the database refuses', () => {
  test.each([
    ['to change a row', `update audit_entries set record = '{}'`],
    ['to change nothing of a row', `update audit_entries set record = record`],
    ['to delete a row', `delete from audit_entries`],
    ['to empty the table', `truncate audit_entries`],
    ['to change a checkpoint', `update audit_checkpoints set hash = ''`],
    ['to delete a checkpoint', `delete from audit_checkpoints`],
    ['to delete a retention', `delete from audit_retentions`],
  ])('%s, also to the owner', async (_name, statement) => {
    await audit.checkpoint()
    offset = 60_000
    await audit.insert(chain, { event: 'test.happened', actor })
    expect(await audit.retain(new Date(clock.now().getTime() - 30_000))).toBeGreaterThanOrEqual(ROWS)
    await expect(connection.pool.query(statement)).rejects.toThrow(/append-only/)
  })

  test('number, link and hash that a writer chooses', async () => {
    await connection.pool.query(
      `insert into audit_entries (chain, record, seq, previous_hash, hash)
       select chain, record, 999, 'chosen', 'chosen' from audit_entries where chain = $1 and seq = 1`,
      [chain],
    )
    expect(await audit.verify(chain)).toMatchObject({ entries: ROWS + 1, broken: [] })
  })

  test('an application role everything but insert and select', async () => {
    const role = `app_${newId('').slice(0, 8)}`
    await connection.pool.query(`create role ${role} login; grant select, insert on audit_entries, audit_checkpoints,
      audit_retentions to ${role}; grant execute on function audit_prune(text) to ${role}`)
    const url = new URL(database.url.reveal())
    url.username = role
    const client = new pg.Client({ connectionString: url.toString() })
    await client.connect()
    try {
      await client.query(`insert into audit_entries (chain, record) select $1, record from audit_entries limit 1`, [
        chain,
      ])
      for (const statement of [
        `update audit_entries set record = ''`,
        'delete from audit_entries',
        'truncate audit_entries',
      ])
        await expect(client.query(statement)).rejects.toThrow(/permission denied/)
      await client.query('select audit_prune($1)', [chain])
    } finally {
      await client.end()
      await connection.pool.query(`drop owned by ${role}; drop role ${role}`)
    }
    expect(await audit.verify(chain)).toMatchObject({ entries: ROWS + 1, broken: [] })
  })
})

test('ten writers at once make one chain without gap or fork', async () => {
  // As many at once as there are connections: who waits for one longer than ten seconds fails.
  const insertTen = async () => {
    for (let row = 0; row < 10; row++) await audit.insert(chain, { event: 'test.happened', actor })
  }
  await Promise.all(Array.from({ length: 10 }, insertTen))
  expect(await audit.verify(chain)).toMatchObject({ entries: ROWS + 100, broken: [] })
})

describe('retention', () => {
  const retainOld = async () => {
    offset = 86_400_000
    for (let row = 0; row < 5; row++) await audit.insert(chain, { event: 'test.happened', actor })
    await audit.retain(new Date(Date.now() + 3_600_000))
  }

  test('replaces a prefix by a signed row; the rest still verifies and goes on', async () => {
    await retainOld()
    expect(await audit.verify(chain)).toMatchObject({ entries: 5, broken: [] })
    await audit.insert(chain, { event: 'test.happened', actor })
    expect(await audit.verify(chain)).toMatchObject({ entries: 6, broken: [] })
  })

  test('whose signed row was changed does not verify', async () => {
    await retainOld()
    await tamper(`update audit_retentions set through_hash = repeat('0', 64) where chain = $1`)
    expect((await first())?.problem).toBe('signature_differs')
  })

  /** Lets the chain have more rows than are read at once. */
  const grow = () =>
    connection.pool.query(
      `insert into audit_entries (chain, record) select chain, record from audit_entries, generate_series(1, 1000)
       where chain = $1 and seq = 1`,
      [chain],
    )
  const small = async () => {}

  test.each<[string, () => Promise<unknown>, number]>([
    ['before it reads the first row', small, 0],
    ['after it has read some rows', grow, 1],
  ])('breaks no verification when it removes rows %s', async (_when, prepare, pages) => {
    verifies('security.audit-retention-meanwhile')
    await prepare()
    await audit.checkpoint()
    const repository = auditRepository(connection.db, clock)
    let read = 0
    const verify = verifyAudit({
      key: deriveAuditKey(secret),
      repository: {
        ...repository,
        listAfter: async (...asked) => {
          if (read++ === pages) await retainOld()
          return repository.listAfter(...asked)
        },
      },
    })
    expect((await verify(chain)).broken).toEqual([])
    expect(await audit.verify(chain)).toMatchObject({ entries: 5, broken: [] })
  })

  test.each<[string, () => Promise<unknown>, number]>([
    ['before the first row', small, 1],
    ['after some rows', grow, 2],
  ])('breaks no export when it removes rows %s', async (_when, prepare, already) => {
    verifies('security.audit-retention-meanwhile')
    await prepare()
    const lines: string[] = []
    for await (const line of audit.exportChain(chain)) if (lines.push(line) === already) await retainOld()
    const found = await verifyExport(from(lines), audit.publicKey)
    expect(found.broken).toBeUndefined()
    expect(JSON.parse(lines.at(-1)!).seq).toBe((await audit.listBefore(chain, 1_000_000, 1))[0]?.seq)
  })

  test('that an export shows twice cannot hide rows', async () => {
    verifies('security.audit-retention-meanwhile')
    await retainOld()
    const lines = await collect(audit.exportChain(chain))
    const [header = '', first = '', ...rest] = lines
    const { retention, ...unsigned } = JSON.parse(header)
    for (const again of [
      header,
      JSON.stringify(unsigned),
      JSON.stringify({ ...unsigned, chain: PLATFORM, retention }),
      JSON.stringify({ ...unsigned, retention: { ...retention, seq: retention.seq + 3 } }),
    ])
      expect(
        (await verifyExport(from([header, first, again, ...rest.slice(2)]), audit.publicKey)).broken,
        again,
      ).toBeDefined()
  })

  test('removes nothing of a broken chain', async () => {
    await tamper(`update audit_entries set record = replace(record, 'row 6', 'row x') where chain = $1`)
    await retainOld()
    expect((await first())?.seq).toBe(7)
  })
})

test('a record has no place for content', () => {
  const record = { at: new Date(0).toISOString(), event: 'note.edited', actor }
  expect(AuditRecord.safeParse(record).success).toBe(true)
  for (const field of ['path', 'note', 'content', 'vault', 'query', 'title', 'value'])
    expect(AuditRecord.safeParse({ ...record, [field]: 'x' }).success, field).toBe(false)
})
