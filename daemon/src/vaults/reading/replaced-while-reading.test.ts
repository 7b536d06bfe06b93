import { mkdir, mkdtemp, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openTestVault } from '../../../../test/support/open-test-vault.ts'
import type { VaultParts } from '../open-vault.ts'

test('notes whose vault is away while it is read for the first time are read when it is back', async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-replaced-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const [root, away] = [join(home, 'notes'), join(home, 'away')]

  let described = 0
  const describeFile: VaultParts['describeFile'] = async () => {
    // The mount point of the vault, whose disk goes while its first note is read.
    if (++described === 1) {
      await rename(root, away)
      await mkdir(root)
    }
    return { facts: { kind: 'attachment' } }
  }
  const fill = async () => {
    for (const name of ['a.md', 'b.md']) await writeFile(join(root, name), `${name}\n`)
  }
  const vault = await openTestVault({ home, watch: 'off', fill, describeFile })
  expect(vault.unread()).toEqual(['b.md'])

  await rmdir(root)
  await rename(away, root)
  await vi.waitFor(() => expect(vault.unread()).toEqual([]), 30_000)
  expect(vault.manifest.unread()).toEqual([])
  expect(described).toBe(2)
})
