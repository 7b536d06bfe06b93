import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { BACKUP_FORMAT } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { auditRepository } from '../../control-plane/src/audit/audit.repository.ts'
import { createBackupCatalog } from '../../control-plane/src/backups/backup-catalog.ts'
import { createDeleteLeftBackups } from '../../control-plane/src/backups/delete-left-backups.ts'
import { createS3ObjectStore } from '../../control-plane/src/backups/s3-object-store.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { organizationDeletionsRepository } from '../../control-plane/src/organization-lifecycle/organization-deletions.repository.ts'
import { verifies } from '../requirements.ts'
import { startBucket, type Bucket } from '../support/bucket.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const DAY_MS = 24 * 3_600_000
const log = createLog({ service: 'test', level: 'fatal' })
const { signal } = new AbortController()
let now = new Date('2026-01-01T00:00:00.000Z')
const clock: Clock = { ...systemClock, now: () => now }
const pass = (days: number) => void (now = new Date(now.getTime() + days * DAY_MS))

let bucket: Bucket
let database: TestDatabase
let opened: ReturnType<typeof openDatabase>

beforeAll(async () => void (bucket = await startBucket()), 240_000)
afterAll(() => bucket?.remove())
beforeEach(async () => {
  database = await createTestDatabase()
  opened = openDatabase({ url: database.url, log, max: 4 })
})
afterEach(async () => {
  await opened.close()
  await database.drop()
})

const objects = () => createS3ObjectStore({ ...bucket.config, secretAccessKey: new Secret(bucket.secret) })
const catalog = () => createBackupCatalog({ store: objects(), clock })
const sweep = (store = catalog()) =>
  createDeleteLeftBackups({
    db: opened.db,
    catalog: store,
    keepDays: 30,
    recordAudit: (trx, chain, record) => auditRepository(trx, clock).insert(chain, record),
    clock,
    log,
  }).sweep(signal)

/** An organization with a backup of so many chunks. */
async function backedUp(chunks = 3): Promise<string> {
  const orgId = newId('org_')
  const backupId = 'bak_20260101000000aaaaaaaaaa'
  const names = Array.from({ length: chunks }, (_, index) => String(index).padStart(64, '0'))
  for (const name of names) await catalog().putChunk(orgId, name, Buffer.from(name), signal)
  await catalog().putPart({ orgId, backupId }, 0, Buffer.from('part'), signal)
  const summary = {
    takenAt: now.toISOString(),
    files: 1,
    bytes: 1,
    readBytes: 1,
    sentBytes: 1,
    skipped: 0,
    chunks,
    manifestParts: 1,
    settled: true,
  }
  await catalog().putEnvelope({ format: BACKUP_FORMAT, backupId, orgId, summary, chunks: names }, signal)
  return orgId
}
const deleteOrganization = (orgId: string) =>
  organizationDeletionsRepository(opened.db, clock).insertTombstone(opened.db, { orgId, operationId: 'deletion-test' })
async function countOf(orgId: string): Promise<number> {
  let count = 0
  for await (const { name } of objects().list(`${orgId}/`, signal)) count += Number(name.startsWith(orgId))
  return count
}
const audited = async () => {
  const { rows } = await opened.pool.query<{ record: string }>(
    `select record from audit_entries where chain = 'platform'`,
  )
  return rows.map(({ record }) => JSON.parse(record) as { event: string; subject: string })
}

test('the backups of a deleted organization go thirty days after it, all of them, once and audited', async () => {
  verifies('backup.left-deleted')
  const [gone, kept] = [await backedUp(), await backedUp()]
  await deleteOrganization(gone)
  pass(29)
  await sweep()
  expect([await countOf(gone), await countOf(kept)]).toEqual([5, 5])
  expect(await catalog().listIds(gone, signal)).toHaveLength(1)

  pass(1.1)
  await Promise.all([sweep(), sweep()])
  expect([await countOf(gone), await countOf(kept)]).toEqual([0, 5])
  await sweep()
  expect(await audited()).toEqual([expect.objectContaining({ event: 'backups.deleted', subject: gone })])
})

test('what a sweep that was killed has left is deleted by the next, and a refusing storage is tried again', async () => {
  verifies('backup.left-deleted')
  const [first, second] = [await backedUp(1_100), await backedUp()]
  await deleteOrganization(first)
  await deleteOrganization(second)
  pass(31)
  let deletions = 0
  const store = objects()
  const failing: typeof store = {
    ...store,
    delete: async (names, ...rest) => {
      deletions += 1
      if (deletions === 2) throw new Error('killed')
      return store.delete(names, ...rest)
    },
  }
  await sweep(createBackupCatalog({ store: failing, clock }))
  // The backup exists no longer before its parts go, and the other organization does not wait.
  expect(await catalog().listIds(first, signal)).toEqual([])
  expect(await countOf(first)).toBeGreaterThan(0)
  expect(await countOf(second)).toBe(0)
  pass(0.1)
  await sweep()
  expect(await countOf(first)).toBe(0)
  expect(await audited()).toHaveLength(2)
})

test('a deletion is audited also if the worker dies after it, before it is recorded', async () => {
  verifies('backup.left-deleted')
  const gone = await backedUp()
  await deleteOrganization(gone)
  pass(31)
  const dying = { ...catalog() }
  dying.deleteAll = async (deletion) => {
    await catalog().deleteAll(deletion)
    throw new Error('killed')
  }
  await sweep(dying)
  expect([await countOf(gone), await audited()]).toEqual([0, []])
  pass(0.1)
  await sweep()
  await sweep()
  expect(await audited()).toEqual([expect.objectContaining({ event: 'backups.deleted', subject: gone })])
})

test('nothing is recorded of an organization that had no backups, nor deleted of one that exists', async () => {
  verifies('backup.left-deleted')
  const back = await backedUp()
  const row = { id: back, name: 'x', slug: 'x', daemon_mode: 'cloud_hosted' as const, createdAt: now }
  await opened.db
    .insertInto('organization')
    .values({ ...row, logo: null, metadata: null })
    .execute()
  await deleteOrganization(back)
  await deleteOrganization(newId('org_'))
  pass(31)
  await sweep()
  expect(await countOf(back)).toBe(5)
  expect(await audited()).toEqual([])
})
