import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { forgetfulMemory } from '../../../test/support/forgetful-memory.ts'
import { looksOnEventLoop } from '../../../test/support/looks-on-event-loop.ts'
import { nothingLive } from '../../../test/support/nothing-live.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { openVault } from './open-vault.ts'
import { adoptVault, newVaultFile } from './vault-identity.ts'

test('a restored folder of a network disk is not read on the event loop', async () => {
  verifies('watch.remote-disk')
  const home = await mkdtemp(join(tmpdir(), 'svc-restored-'))
  onTestFinished(() => removeFolder(home))
  const root = join(home, 'notes')
  await mkdir(root)
  const file = newVaultFile('notes', 'notes', systemClock)
  await adoptVault(root, file)
  const vault = await openVault({
    id: 'notes',
    root,
    file,
    disks: { local: systemDisk, any: systemDisk },
    ownDisk: { disk: systemDisk, isLocal: true },
    reservedBytes: 0,
    auditFolder: home,
    mountedFile: join(home, 'mounted.json'),
    maxNoteBytes: 1000,
    describeFile: async () => ({ facts: { kind: 'attachment' } }),
    memoryOf: () => forgetfulMemory,
    liveOf: () => ({ ...nothingLive, start: async () => {} }),
    follow: [],
    watch: 'poll',
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => vault.close())
  await vi.waitFor(() => expect(vault.isIndexed()).toBe(true), 30_000)

  await mkdir(join(root, 'back/deep'), { recursive: true })
  await writeFile(join(root, 'back/deep/a.md'), 'a')
  const looks = looksOnEventLoop(root)
  onTestFinished(looks.stop)
  await vault.restoredFolder({ path: 'back', by: { kind: 'local' } })
  expect([vault.manifest.hasFile('back/deep/a.md'), looks.paths]).toEqual([true, []])
})
