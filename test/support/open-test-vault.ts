import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, vi } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { systemDisk } from '../../daemon/src/files/disk/disk.ts'
import { openVault, type VaultParts } from '../../daemon/src/vaults/open-vault.ts'
import { adoptVault, newVaultFile } from '../../daemon/src/vaults/vault-identity.ts'
import { forgetfulMemory } from './forgetful-memory.ts'
import { nothingLive } from './nothing-live.ts'

type Opening = Pick<VaultParts, 'watch'> & {
  home: string
  describeFile?: VaultParts['describeFile']
  /** Writes the first files into the folder of the vault. */
  fill?: (root: string) => Promise<void>
}

/** Opens a vault `notes` in a home, without memory and live sessions, and waits until it is read. */
export async function openTestVault({ home, watch, fill, describeFile }: Opening) {
  const root = join(home, 'notes')
  await mkdir(root)
  const file = newVaultFile('notes', 'notes', systemClock)
  await adoptVault(root, file)
  await fill?.(root)
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
    describeFile: describeFile ?? (async () => ({ facts: { kind: 'attachment' } })),
    memoryOf: () => forgetfulMemory,
    liveOf: () => ({ ...nothingLive, start: async () => {} }),
    follow: [],
    watch,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => vault.close())
  await vi.waitFor(() => expect(vault.isIndexed()).toBe(true), 30_000)
  return vault
}
