import { setImmediate } from 'node:timers/promises'
import { encodeFrame, type BackupFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import { expect, test } from 'vitest'
import type { BackupCatalog, Envelope } from './backup-catalog.ts'
import { createTransferBackup, type TransferLimits } from './transfer-backup.ts'

/** The code with which a backup ends whose daemon reports this failure. */
async function endOf(failure: object): Promise<unknown> {
  const { receive } = createTransferBackup({
    catalog: { listReusable: async () => [] } as Partial<BackupCatalog> as BackupCatalog,
    exchange: async function* () {
      yield encodeFrame({ type: 'message', value: { kind: 'failed', failure } })
    },
  })
  const taken = receive({ orgId: 'org_a', backupId: 'bak_a', key: 'a1', signal: new AbortController().signal })
  return taken.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  )
}

test.each(['storage_full', 'storage_failed', 'storage_read_only', 'disk_away', 'too_many_open_files'])(
  'a backup that a daemon ends with %s says so',
  async (code) => {
    expect(await endOf({ code })).toBe(code)
  },
)

test('a daemon cannot end a backup with a failure that is not its own', async () => {
  expect(await endOf({ code: 'organization_busy' })).toBe('daemon_unreachable')
  expect(await endOf({ code: 'no_such_code' })).toBe('daemon_unreachable')
})

/** How a backup ends whose daemon sends a frame without end, and how many objects it has stored then. */
async function endOfEndless(frame: BackupFrame, limits: TransferLimits) {
  let stored = 0
  let isLeft = false
  const put = async () => void (stored += 1)
  const { receive } = createTransferBackup({
    catalog: { listReusable: async () => [], putChunk: put, putPart: put } as Partial<BackupCatalog> as BackupCatalog,
    limits,
    exchange: async function* () {
      try {
        for (let sent = 0; sent < 10_000; sent++) {
          yield encodeFrame(frame)
          await setImmediate()
        }
        // A test that fails, and does not run for ever.
        throw new Error('nothing ended the backup')
      } finally {
        isLeft = true
      }
    },
  })
  const { signal } = new AbortController()
  const error = await receive({ orgId: 'org_a', backupId: 'bak_a', key: 'a1', signal }).catch((its: unknown) => its)
  expect(isLeft).toBe(true)
  return { error, stored }
}

const name = 'a'.repeat(64)
const roomy: TransferLimits = { chunks: 1000, manifestParts: 1000, sealedBytes: 1_000_000, ms: 3_600_000 }

test.each<[string, BackupFrame, Partial<TransferLimits>, number]>([
  ['names', { type: 'names', names: [name, name] }, { chunks: 9 }, 0],
  ['chunks', { type: 'chunk', name, sealed: Buffer.alloc(10) }, { chunks: 9 }, 9],
  ['the bytes of chunks', { type: 'chunk', name, sealed: Buffer.alloc(10) }, { sealedBytes: 95 }, 9],
  ['parts of a manifest', { type: 'manifest', sealed: Buffer.alloc(10) }, { manifestParts: 9 }, 9],
  ['the bytes of a manifest', { type: 'manifest', sealed: Buffer.alloc(10) }, { sealedBytes: 95 }, 9],
])('a daemon that sends %s without end is cut off', async (_what, frame, limits, most) => {
  const { error, stored } = await endOfEndless(frame, { ...roomy, ...limits })
  expect(error).toMatchObject({ code: 'payload_too_large' })
  expect(stored).toBe(most)
})

test('a daemon cannot replace a chunk that was stored before its backup', async () => {
  const [kept, fresh] = ['b'.repeat(64), 'c'.repeat(64)]
  const stored = new Map([[kept, 'as it was']])
  const envelopes: Envelope[] = []
  const { receive } = createTransferBackup({
    catalog: {
      listReusable: async () => [...stored.keys()],
      putChunk: async (_orgId, name, sealed) => void stored.set(name, sealed.toString()),
      putPart: async () => {},
      putEnvelope: async (envelope) => void envelopes.push(envelope),
    } as Partial<BackupCatalog> as BackupCatalog,
    exchange: async function* () {
      for (const name of [kept, fresh]) yield encodeFrame({ type: 'chunk', name, sealed: Buffer.from('sent') })
      yield encodeFrame({ type: 'manifest', sealed: Buffer.from('manifest') })
      yield encodeFrame({ type: 'names', names: [kept, fresh] })
      const counts = { files: 1, bytes: 4, readBytes: 4, sentBytes: 8, chunks: 2, manifestParts: 1, skipped: 0 }
      const summary = { ...counts, takenAt: '2026-01-01T00:00:00.000Z', settled: true }
      yield encodeFrame({ type: 'message', value: { kind: 'done', summary } })
    },
  })
  await receive({ orgId: 'org_a', backupId: 'bak_a', key: 'a1', signal: new AbortController().signal })
  expect(stored).toEqual(
    new Map([
      [kept, 'as it was'],
      [fresh, 'sent'],
    ]),
  )
  expect(envelopes).toMatchObject([{ chunks: [kept, fresh] }])
})

test('a daemon that tells of its progress without end has a time limit', async () => {
  const frame: BackupFrame = { type: 'message', value: { kind: 'progress', files: 1, bytes: 1 } }
  const { error } = await endOfEndless(frame, { ...roomy, ms: 20 })
  expect(error).toMatchObject({ code: 'daemon_unreachable', details: { reason: 'TransferTooSlow' } })
})
