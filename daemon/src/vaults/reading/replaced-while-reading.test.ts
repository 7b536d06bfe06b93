import { mkdir, mkdtemp, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { systemDisk } from '../../files/disk/disk.ts'
import { openVault, type VaultParts } from '../open-vault.ts'
import { adoptVault, newVaultFile } from '../vault-identity.ts'
import { forgetfulMemory } from '../../../../test/support/forgetful-memory.ts'
import { nothingLive } from '../../../../test/support/nothing-live.ts'

test('notes whose vault is away while it is read for the first time are read when it is back', async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-replaced-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const [root, away] = [join(home, 'notes'), join(home, 'away')]
  await mkdir(root)
  const file = newVaultFile('notes', 'notes', systemClock)
  await adoptVault(root, file)
  for (const name of ['a.md', 'b.md']) await writeFile(join(root, name), `${name}\n`)

  let described = 0
  const describeFile: VaultParts['describeFile'] = async () => {
    // The mount point of the vault, whose disk goes while its first note is read.
    if (++described === 1) {
      await rename(root, away)
      await mkdir(root)
    }
    return { facts: { kind: 'attachment' } }
  }
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
    describeFile,
    memoryOf: () => forgetfulMemory,
    liveOf: () => ({ ...nothingLive, start: async () => {} }),
    follow: [],
    watch: 'off',
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => vault.close())
  await vi.waitFor(() => expect(vault.isIndexed()).toBe(true), 30_000)
  expect(vault.unread()).toEqual(['b.md'])

  await rmdir(root)
  await rename(away, root)
  await vi.waitFor(() => expect(vault.unread()).toEqual([]), 30_000)
  expect(vault.manifest.unread()).toEqual([])
  expect(described).toBe(2)
})
