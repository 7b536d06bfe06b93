import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startBucket, type Bucket } from '../support/bucket.ts'
import { createPerson, type Person } from '../support/person.ts'
import { operate as operateOn } from '../support/operate.ts'
import { START_MS, startPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'

let bucket: Bucket
let platform: Platform
let admin: Person

beforeAll(async () => {
  bucket = await startBucket()
  // Backups are taken on request only: the schedule must not change the results.
  platform = await startPlatform({ ...bucket.environment, BACKUP_EVERY_SECONDS: '0' })
  admin = createPerson(platform.origin, platform.mailbox)
  await admin.signUp({ email: 'admin@example.org' })
  await admin.post('/api/setup/claim', { token: new URL(platform.setupLink ?? '').hash.slice(1) })
})
afterAll(async () => {
  await platform?.remove()
  await bucket?.remove()
})

async function hosted(slug: string): Promise<{ orgId: string; home: string }> {
  const { body } = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: slug, slug })
  const orgId = body.organization.id as string
  const item = async () => (await admin.get(`/api/admin/managed-daemons?orgId=${orgId}`)).body.daemons?.[0]
  await until('the daemon runs', async () => (await item())?.daemon?.operation?.outcome === 'succeeded', {
    withinMs: START_MS,
  })
  return { orgId, home: join(platform.dataDir, 'daemons', `org-${orgId.slice(4)}`, 'home') }
}

const operate = (orgId: string, path: string, body: { operationId: string; confirmation: string }) =>
  operateOn(admin, { orgId, path, ...body })

test('a lost volume is not replaced until a reinstallation, and a backup restores what it had', async () => {
  verifies('operator.volume-lost', 'backup.after-reinstallation', 'sleep.last-use')
  const { orgId, home } = await hosted('lost')
  const [vault] = await readdir(join(home, 'vaults'))
  await writeFile(join(home, 'vaults', vault!, 'kept.md'), '# Kept\n')
  const confirmed = (operationId: string) => ({ operationId, confirmation: 'lost' })
  const taken = await operate(orgId, 'backups', confirmed('backup-lost-1'))
  expect(taken.body, taken.text).toMatchObject({ ok: true })
  const { backupId } = taken.body.backup
  expect((await operate(orgId, 'sleep', confirmed('sleep-lost-1'))).body).toMatchObject({ ok: true })
  // The daemon has said as it stopped that nobody used it since.
  const again = await operate(orgId, 'backups', confirmed('backup-asleep-1'))
  expect(again.body, again.text).toMatchObject({ ok: true, fresh: true, backup: { backupId } })

  await rm(home, { recursive: true })
  await admin.post('/api/orgs/lost/hosted/wake', {})
  const hostedStatus = async () => (await admin.get('/api/orgs/lost/hosted/status')).body.status
  await until('the loss is seen', async () => (await hostedStatus())?.observedState === 'failed')
  expect(await readdir(join(home, '..'))).not.toContain('home')
  const refused = await operate(orgId, 'backups', confirmed('backup-lost-2'))
  expect(refused.body.error, refused.text).toMatchObject({
    code: 'operation_failed',
    details: { reason: 'VolumeLost' },
  })
  expect((await hostedStatus()).backup.problem).toMatchObject({ reason: 'VolumeLost' })

  expect((await operate(orgId, 'reinstall', confirmed('reinstall-lost-1'))).body).toMatchObject({ ok: true })
  expect(await readdir(join(home, 'vaults', vault!))).not.toContain('kept.md')
  expect((await hostedStatus()).backup.awaitsRestore).toBe(true)
  const restore = { ...confirmed('restore-lost-1'), backupId }
  const restored = await operate(orgId, 'restore', restore)
  expect(restored.body, restored.text).toMatchObject({ ok: true, backupId })
  expect(await readFile(join(home, 'vaults', vault!, 'kept.md'), 'utf8')).toBe('# Kept\n')
  expect((await hostedStatus()).backup.awaitsRestore).toBe(false)
})

test(
  'a backup is taken, proved, restored into another organization, and a failing bucket leaves the old one whole',
  { timeout: 600_000 },
  async () => {
    verifies('backup.everything-kept', 'backup.drill-proves', 'backup.operations', 'backup.store-failures')
    const one = await hosted('one')
    const two = await hosted('two')
    const [vault] = await readdir(join(one.home, 'vaults'))
    await writeFile(join(one.home, 'vaults', vault!, 'kept.md'), '# Kept\n\nzanzibar\n')

    const taken = await operate(one.orgId, 'backups', { operationId: 'backup-test-1', confirmation: 'one' })
    expect(taken.body).toMatchObject({ ok: true, fresh: false, backup: { backupId: expect.stringMatching(/^bak_/) } })
    const { backupId } = taken.body.backup
    const objects = (await readdir(bucket.folder, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    )
    expect(objects.length).toBeGreaterThan(2)
    for (const { parentPath, name } of objects)
      expect((await readFile(join(parentPath, name))).includes('zanzibar')).toBe(false)

    const drilled = await operate(one.orgId, 'backups/drill', { operationId: 'drill-test-1', confirmation: 'one' })
    expect(drilled.body).toMatchObject({ ok: true, backupId, restored: { vaults: 1 } })
    const { body: status } = await admin.get('/api/orgs/one/hosted/status')
    expect(status.status.backup).toMatchObject({ last: { backupId }, verified: { backupId }, problem: null })

    const restore = { operationId: 'restore-test-1', confirmation: 'two', backupId, fromOrgId: one.orgId }
    const restored = await operate(two.orgId, 'restore', restore)
    expect(restored.body, restored.text).toMatchObject({
      ok: true,
      backupId,
      fromOrgId: one.orgId,
      resourceUid: expect.any(String),
    })
    expect(await readFile(join(two.home, 'vaults', vault!, 'kept.md'), 'utf8')).toBe('# Kept\n\nzanzibar\n')
    expect((await operate(two.orgId, 'restore', restore)).text).toBe(restored.text)
    const undone = { operationId: 'restore-test-2', confirmation: 'two', backupId: restored.body.safetyBackupId }
    expect((await operate(two.orgId, 'restore', undone)).body).toMatchObject({ ok: true })
    expect(await readdir(join(two.home, 'vaults', vault!))).not.toContain('kept.md')

    await bucket.kill()
    const unreachable = await operate(one.orgId, 'backups', { operationId: 'backup-test-2', confirmation: 'one' })
    expect(unreachable.body.error, unreachable.text).toMatchObject({ code: 'operation_retryable' })
    const failing = (await admin.get('/api/orgs/one/hosted/status')).body.status.backup
    expect(failing).toMatchObject({ last: { backupId }, problem: { code: 'backup_store_unavailable' } })
    await bucket.start()
    const retried = await operate(one.orgId, 'backups', { operationId: 'backup-test-2', confirmation: 'one' })
    expect(retried.body).toMatchObject({ ok: true, backup: { sentBytes: expect.any(Number) } })

    const chunks = join(bucket.folder, one.orgId, 'chunks')
    for (const name of await readdir(chunks)) await rm(join(chunks, name))
    const broken = await operate(one.orgId, 'backups/drill', { operationId: 'drill-test-2', confirmation: 'one' })
    expect(broken.body.error).toMatchObject({ code: 'operation_failed', details: { reason: 'ChunkMissing' } })
    const list = await admin.get(`/api/admin/managed-daemons/${one.orgId}/backups`)
    expect(list.body.backups).toHaveLength(2)
    expect(list.body.state.problem).toMatchObject({ code: 'backup_broken', reason: 'ChunkMissing' })
  },
)
