import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { decodeFrames } from '@svc/shared/wire/daemon/backup-frames.ts'
import { BACKUP_FORMAT } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { verifies } from '../../../test/requirements.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { homeLayout } from '../home/home-layout.ts'
import { createBackupCache } from './backup-cache.ts'
import { createSend, createServeBackup, message } from './serve-backup.ts'

const frame = message({ kind: 'failed', failure: { code: 'internal', reason: 'x'.repeat(1000) } })

test('frames wait for a slow reader, however many there are, and leave no listeners', async () => {
  const output = new PassThrough({ highWaterMark: 100 })
  const send = createSend(output)
  const before = output.listenerCount('close')
  for (let nth = 0; nth < 50; nth++) {
    let isSent = false
    const sent = send(frame).then(() => (isSent = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSent).toBe(false)
    while (output.read() !== null);
    await sent
  }
  expect([output.listenerCount('close'), output.listenerCount('drain')]).toEqual([before, 0])
})

test('a reader that is gone ends the wait, and nothing is sent to it', async () => {
  const output = new PassThrough({ highWaterMark: 100 })
  const send = createSend(output)
  const sent = send(frame)
  output.destroy()
  await sent
  await send(frame)
  expect(output.listenerCount('drain')).toBe(0)
})

/** A home with one note and a replaced home; `end` takes a backup and returns how it ends. */
async function backingUp(flush: () => Promise<unknown> = async () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-serve-backup-'))
  onTestFinished(() => removeFolder(folder))
  const layout = homeLayout(folder)
  await mkdir(join(layout.vaults, 'v'), { recursive: true })
  await writeFile(join(layout.vaults, 'v/a.md'), 'a')
  await mkdir(join(layout.daemon, 'replaced/vaults'), { recursive: true })
  const log = createLog({ service: 'test', level: 'silent' })
  const cached = join(layout.daemon, 'backups')
  const cache = createBackupCache({ folder: cached, log })
  const serve = createServeBackup({ layout, cache, flush, refuseAway: async () => {}, clock: systemClock, log })
  const asked = async function* () {
    const value = { format: BACKUP_FORMAT, backupId: 'bak_20260101000000aaaaaaaaaa', key: 'a1'.repeat(32) }
    yield { type: 'message', value } as const
  }
  const end = async () => {
    let last: unknown
    for await (const frame of decodeFrames(await serve(asked(), new AbortController().signal)))
      if (frame.type === 'message') last = frame.value
    return last
  }
  return { layout, cached, end }
}

test('a backup whose manifest cannot be kept for the next one is done all the same', async () => {
  verifies('backup.full-volume')
  const { layout, cached, end } = await backingUp()
  await mkdir(join(cached, 'last-manifest'), { recursive: true })
  expect(await end()).toMatchObject({ kind: 'done', summary: { files: 1 } })
  expect(await readdir(cached)).toEqual(['last-manifest'])
  expect(existsSync(join(layout.daemon, 'replaced'))).toBe(false)
})

test('a backup that the volume fails says so', async () => {
  verifies('backup.full-volume')
  const { layout, end } = await backingUp(() => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })))
  expect(await end()).toEqual({ kind: 'failed', failure: { code: 'storage_failed' } })
  expect(existsSync(join(layout.daemon, 'replaced'))).toBe(true)
})
