import { encodeFrame } from '@svc/shared/wire/daemon/backup-frames.ts'
import { expect, test } from 'vitest'
import type { BackupCatalog } from './backup-catalog.ts'
import { createTransferBackup } from './transfer-backup.ts'

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
