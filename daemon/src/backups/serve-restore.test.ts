import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { decodeFrames, type BackupFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import { BACKUP_FORMAT, type RestoreRequest } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { verifies } from '../../../test/requirements.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { homeLayout } from '../home/home-layout.ts'
import { isRestoreBegun } from './restore-begun.ts'
import { createChunkSeal } from './sealed-chunk.ts'
import { createServeRestore } from './serve-restore.ts'
import { takeBackup } from './take-backup.ts'

const key = 'a1'.repeat(32)
const backupId = 'bak_20260101000000aaaaaaaaaa'
const FILES = 3

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-serve-restore-'))))
afterEach(() => removeFolder(folder))

/** The frames that the platform sends for a small backup. */
async function backedUp(): Promise<BackupFrame[]> {
  const home = join(folder, 'backed-up')
  await mkdir(join(home, 'vaults/v/.svc'), { recursive: true })
  await writeFile(join(home, 'vaults/v/.svc/vault.json'), '{}')
  await writeFile(join(home, 'vaults/v/a.md'), 'a')
  await writeFile(join(home, 'vaults/v/b.md'), 'b')
  const chunks: BackupFrame[] = []
  const parts: BackupFrame[] = []
  await takeBackup({
    home,
    backupId,
    seal: createChunkSeal(key),
    stored: new Set(),
    previous: undefined,
    flush: async () => {},
    refuseAway: async () => {},
    sink: {
      chunk: async (name, sealed) => void chunks.push({ type: 'chunk', name, sealed }),
      manifest: async (sealed) => void parts.push({ type: 'manifest', sealed }),
      progress: async () => {},
    },
    clock: systemClock,
    signal: new AbortController().signal,
  })
  return [...parts, ...chunks]
}

/** A daemon that restores; `looksAtClock` is called whenever the restore reads the time. */
async function restoring(name: string, looksAtClock: () => void = () => {}) {
  const layout = homeLayout(join(folder, name))
  await mkdir(layout.daemon, { recursive: true })
  const intent = join(layout.daemon, 'restore.json')
  const restart = vi.fn()
  const clock: Clock = {
    now: () => (looksAtClock(), systemClock.now()),
    monotonic: () => (looksAtClock(), systemClock.monotonic()),
    sleep: systemClock.sleep,
  }
  const serve = createServeRestore({
    layout,
    volume: { makeRoom: async () => expect(existsSync(intent), 'an intent beside an empty folder').toBe(false) },
    tryHome: async () => 1,
    restart,
    clock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  const send = (purpose: RestoreRequest['purpose'], frames: BackupFrame[]) => {
    const value = { format: BACKUP_FORMAT, restoreId: `restore-${purpose}`, backupId, key, purpose }
    const all = async function* () {
      yield { type: 'message', value } as const
      yield* frames
    }
    return serve(all(), new AbortController().signal)
  }
  return { layout, intent, restart, send }
}

/** How a restore ends; its output is read to the end. */
async function endOf(output: PassThrough): Promise<unknown> {
  let last: unknown
  for await (const frame of decodeFrames(output)) if (frame.type === 'message') last = frame.value
  return last
}

/** A restore that is recorded, whose caller went away before it took the answer. */
async function leftRecorded(name: string, frames: BackupFrame[]) {
  const daemon = await restoring(name)
  const output = await daemon.send('replace', frames)
  await vi.waitFor(() => expect(existsSync(daemon.intent)).toBe(true))
  output.destroy()
  await vi.waitFor(() => expect(daemon.restart).toHaveBeenCalledTimes(1))
  return daemon
}

test('a restore whose caller goes away at any moment is put in place at once, or never', async () => {
  verifies('backup.restore-abandoned')
  const frames = await backedUp()
  let looks = 0
  const whole = await restoring('whole', () => (looks += 1))
  expect(await endOf(await whole.send('replace', frames))).toMatchObject({ kind: 'done', summary: { files: FILES } })
  await vi.waitFor(() => expect(whole.restart).toHaveBeenCalledTimes(1))
  expect(looks).toBeGreaterThan(FILES)

  for (let leaveAt = 1; leaveAt <= looks; leaveAt++) {
    let look = 0
    let output: PassThrough | undefined
    const daemon = await restoring(`left-${leaveAt}`, () => {
      if (++look === leaveAt) output!.destroy()
    })
    output = await daemon.send('replace', frames)
    output.resume()
    await vi.waitFor(() => {
      const begun = isRestoreBegun(daemon.layout)
      expect([look >= leaveAt, daemon.restart.mock.calls.length === 1], `look ${leaveAt}`).toEqual([true, begun])
    })
  }
})

test('a drill after a restore whose caller went away leaves nothing to replace', async () => {
  verifies('backup.restore-abandoned')
  const frames = await backedUp()
  const daemon = await leftRecorded('drill', frames)
  expect(await endOf(await daemon.send('drill', frames))).toMatchObject({ kind: 'done' })
  expect(isRestoreBegun(daemon.layout)).toBe(false)
})

test('a restore that fails leaves no record of the one before it', async () => {
  verifies('backup.restore-abandoned')
  const frames = await backedUp()
  const daemon = await leftRecorded('fails', frames)
  const broken = frames.filter(({ type }) => type !== 'chunk')
  expect(await endOf(await daemon.send('replace', broken))).toEqual({
    kind: 'failed',
    failure: { code: 'backup_broken', reason: 'ChunkMissing' },
  })
  expect(isRestoreBegun(daemon.layout)).toBe(false)
})
