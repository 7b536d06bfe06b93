import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { BACKUP_FORMAT, type BackupSummary } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createBackupCatalog } from '../../control-plane/src/backups/backup-catalog.ts'
import { createS3ObjectStore } from '../../control-plane/src/backups/s3-object-store.ts'
import { verifies } from '../requirements.ts'
import { startBucket, type Bucket } from '../support/bucket.ts'

const DAY_MS = 24 * 3_600_000
const signal = new AbortController().signal
let bucket: Bucket
let ahead = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + ahead) }

beforeAll(async () => void (bucket = await startBucket()), 240_000)
afterAll(() => bucket?.remove())

const storeWith = (change: { bucket?: string; secret?: string; endpoint?: string } = {}) =>
  createS3ObjectStore({
    ...bucket.config,
    bucket: change.bucket ?? bucket.config.bucket,
    endpoint: change.endpoint ?? bucket.config.endpoint,
    secretAccessKey: new Secret(change.secret ?? bucket.secret),
  })
const chunk = (digit: string) => digit.repeat(64)
const summary: BackupSummary = {
  takenAt: '2026-01-01T00:00:00.000Z',
  files: 1,
  bytes: 1,
  readBytes: 1,
  sentBytes: 1,
  skipped: 0,
  chunks: 1,
  manifestParts: 1,
  settled: true,
}

test('the newest backups are kept with all that they need; the rest goes, but nothing that is young', async () => {
  verifies('backup.retention')
  const orgId = newId('org_')
  const catalog = createBackupCatalog({ store: storeWith(), clock })
  const take = async (day: number, chunks: string[]) => {
    const backupId = `bak_2026010${day}000000aaaaaaaaa${'abcdefg'[day]}`
    for (const name of chunks) await catalog.putChunk(orgId, name, Buffer.from(name), signal)
    await catalog.putPart({ orgId, backupId }, 0, Buffer.from('part'), signal)
    await catalog.putEnvelope({ format: BACKUP_FORMAT, backupId, orgId, summary, chunks }, signal)
    return backupId
  }
  const first = await take(1, [chunk('a'), chunk('b')])
  const second = await take(2, [chunk('b'), chunk('c')])
  const third = await take(3, [chunk('c'), chunk('d')])
  // A chunk of a backup in progress, which no envelope names yet.
  await catalog.putChunk(orgId, chunk('e'), Buffer.from('e'), signal)
  const hasChunk = async (digit: string) => (await catalog.findChunk(orgId, chunk(digit), signal)) !== undefined

  await catalog.prune({ orgId, keep: 2, reinstalls: [], signal })
  expect(await catalog.listIds(orgId, signal)).toEqual([third, second])
  for (const digit of ['a', 'b', 'c', 'd', 'e']) expect(await hasChunk(digit), digit).toBe(true)

  ahead = 2 * DAY_MS
  await catalog.prune({ orgId, keep: 2, reinstalls: [], signal })
  expect(await catalog.find(orgId, first, signal)).toBeUndefined()
  expect(await catalog.findPart({ orgId, backupId: first }, 0, signal)).toBeUndefined()
  for (const backupId of [second, third]) {
    expect(await catalog.findPart({ orgId, backupId }, 0, signal)).toEqual(Buffer.from('part'))
    expect(await catalog.find(orgId, backupId, signal)).toMatchObject({ backupId })
  }
  expect(await hasChunk('a')).toBe(false)
  for (const digit of ['b', 'c', 'd']) expect(await hasChunk(digit), digit).toBe(true)
  expect(await hasChunk('e')).toBe(false)
  ahead = 0
})

test('the last backup from before each reinstallation is kept with all that it needs', async () => {
  verifies('backup.after-reinstallation')
  const orgId = newId('org_')
  const catalog = createBackupCatalog({ store: storeWith(), clock })
  const ids: string[] = []
  for (const day of [1, 2, 3, 4, 5, 6, 7]) {
    const backupId = `bak_2026020${day}000000aaaaaaaaa${'abcdefgh'[day]}`
    const name = chunk(String(day))
    await catalog.putChunk(orgId, name, Buffer.from(name), signal)
    await catalog.putPart({ orgId, backupId }, 0, Buffer.from('part'), signal)
    await catalog.putEnvelope({ format: BACKUP_FORMAT, backupId, orgId, summary, chunks: [name] }, signal)
    ids.unshift(backupId)
  }
  const [seventh, sixth, , fourth, , second] = ids
  ahead = 2 * DAY_MS
  const reinstalls = [new Date('2026-02-02T12:00:00.000Z'), new Date('2026-02-05T00:00:00.000Z')]
  await catalog.prune({ orgId, keep: 2, reinstalls, signal })
  expect(await catalog.listIds(orgId, signal)).toEqual([seventh, sixth, fourth, second])
  for (const day of ['2', '4', '6', '7'])
    expect(await catalog.findChunk(orgId, chunk(day), signal), day).not.toBeUndefined()
  expect(await catalog.findPart({ orgId, backupId: second! }, 0, signal)).toEqual(Buffer.from('part'))
  expect(await catalog.findChunk(orgId, chunk('3'), signal)).toBeUndefined()
  ahead = 0
})

test('the backups of a restore that was tried again count as one, and displace no others', async () => {
  verifies('backup.retention')
  const orgId = newId('org_')
  const catalog = createBackupCatalog({ store: storeWith(), clock })
  const [older, daily, ...attempts] = [
    'bak_20260301000000aaaaaaaaaa',
    'bak_20260302000000bbbbbbbbbb',
    'bak_20260303000001cccccccccc',
    'bak_20260303000002cccccccccc',
    'bak_20260303000003cccccccccc',
  ]
  for (const backupId of [older!, daily!, ...attempts])
    await catalog.putEnvelope({ format: BACKUP_FORMAT, backupId, orgId, summary, chunks: [] }, signal)
  await catalog.prune({ orgId, keep: 2, reinstalls: [], signal })
  expect(await catalog.listIds(orgId, signal)).toEqual([...attempts.toReversed(), daily])
})

test('a wrong key and a bucket that is not there are refusals with the reason of the storage', async () => {
  verifies('backup.store-failures')
  const refused = { code: 'backup_store_refused' }
  const put = (change: Parameters<typeof storeWith>[0]) => storeWith(change).put('x', Buffer.from('x'), signal)
  await expect(put({ secret: 'another-secret' })).rejects.toMatchObject({
    ...refused,
    details: { reason: 'SignatureDoesNotMatch' },
  })
  await expect(put({ bucket: 'nowhere' })).rejects.toMatchObject({ ...refused, details: { reason: 'NoSuchBucket' } })
})

test('a full storage is distinguished from one that refuses, and an unreachable one is retried', async () => {
  verifies('backup.store-failures')
  let answer = { status: 507, code: 'InsufficientStorage' }
  // A server plays the errors of other storages, because no storage in this test can be filled up.
  const server: Server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?><Error><Code>${answer.code}</Code><Message>no</Message></Error>`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const store = storeWith({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const put = () => store.put('x', Buffer.from('x'), signal)

  await expect(put()).rejects.toMatchObject({ code: 'backup_store_full', details: { reason: 'InsufficientStorage' } })
  answer = { status: 403, code: 'QuotaExceeded' }
  await expect(put()).rejects.toMatchObject({ code: 'backup_store_full', details: { reason: 'QuotaExceeded' } })
  answer = { status: 403, code: 'AccessDenied' }
  await expect(put()).rejects.toMatchObject({ code: 'backup_store_refused', details: { reason: 'AccessDenied' } })
  answer = { status: 503, code: 'SlowDown' }
  await expect(put()).rejects.toMatchObject({ code: 'backup_store_unavailable', retry: 'same_request' })
  server.close()
  server.closeAllConnections()
})

test('objects are deleted from a storage that knows no checksum but Content-MD5', async () => {
  verifies('backup.retention')
  const deletions: string[] = []
  const server: Server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const { 'content-md5': sum, authorization = '' } = request.headers
    const isKnown = sum === createHash('md5').update(body).digest('base64') && authorization.includes('content-md5')
    const others = Object.keys(request.headers).filter((name) => name.includes('checksum'))
    response.writeHead(isKnown ? 200 : 400, { 'content-type': 'application/xml' })
    if (!isKnown) return response.end('<Error><Code>MissingContentMD5</Code><Message>no</Message></Error>')
    deletions.push(...others, ...[...body.toString().matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key))
    return response.end('<DeleteResult/>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const store = storeWith({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const names = Array.from({ length: 501 }, (_, index) => `object-${index}`)
  await store.delete(names, signal).finally(() => {
    server.close()
    server.closeAllConnections()
  })
  expect(deletions).toEqual(names)
})
