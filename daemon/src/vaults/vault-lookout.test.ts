import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Census } from './vault-census.ts'
import { adoptVault, newVaultFile, type VaultFile } from './vault-identity.ts'
import { createVaultLookout, type VaultLookout } from './vault-lookout.ts'

let folder: string
let lookout: VaultLookout | undefined
let looks = 0
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lookout-'))
  looks = 0
})
afterEach(async () => {
  lookout?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Looks every 20 ms without events, and keeps the map of open vaults as the looks decide. */
function lookingAt(open: Map<string, string>, identityOf: (name: string) => string): Census['open'][] {
  const opened: Census['open'][] = []
  lookout = createVaultLookout({
    folder,
    open: () => open,
    alone: (look) => look(),
    async carryOut(census) {
      looks++
      for (const name of census.close) open.delete(name)
      for (const name of census.open) open.set(name, identityOf(name))
      if (census.open.length > 0) opened.push(census.open)
    },
    watch: 'poll',
    log: pino({ level: 'silent' }),
    timing: { hintMs: 1, againMs: 20, lookMs: 20 },
  })
  return opened
}

async function adopted(name: string): Promise<VaultFile> {
  const file = newVaultFile(name, name, systemClock)
  await mkdir(join(folder, name))
  await adoptVault(join(folder, name), file)
  return file
}

const afterLooks = (count: number) => {
  const from = looks
  return vi.waitFor(() => expect(looks - from).toBeGreaterThan(count), { timeout: 30_000 })
}

test('a vault that has not changed stays open, and another one in its directory is opened instead', async () => {
  const first = await adopted('ideas')
  const second = newVaultFile('ideas', 'ideas', systemClock)
  const opened = lookingAt(new Map([['ideas', first.identity]]), () => second.identity)
  await afterLooks(5)
  expect(opened).toEqual([])

  // In place: the directory does not change, and the file keeps its size.
  await writeFile(join(folder, 'ideas/.svc/vault.json'), `${JSON.stringify(second, undefined, 2)}\n`)
  await vi.waitFor(() => expect(opened).toEqual([['ideas']]), { timeout: 30_000 })
  await afterLooks(5)
  expect(opened).toHaveLength(1)
})

test('a vault whose identity is removed or damaged while it is open is named, and is fine again with it', async () => {
  const file = await adopted('ideas')
  const path = join(folder, 'ideas/.svc/vault.json')
  const opened = lookingAt(new Map([['ideas', file.identity]]), () => file.identity)
  await afterLooks(3)

  await rm(path)
  await vi.waitFor(() => expect(lookout!.refused()[0]?.reason).toBe('has lost its .svc/vault.json'), 30_000)
  await writeFile(path, '{')
  await vi.waitFor(() => expect(lookout!.refused()[0]?.reason).toContain('cannot be read'), 30_000)
  await writeFile(path, JSON.stringify(file))
  await vi.waitFor(() => expect(lookout!.refused()).toEqual([]), 30_000)
  expect(opened).toEqual([])
})

test('a directory with a name of kept data is named and never opened', async () => {
  await adopted('.kept-ideas')
  await adopted('.Renamed-ideas')
  const opened = lookingAt(new Map(), () => 'some')
  await vi.waitFor(() => expect(lookout!.refused()).toHaveLength(2), 30_000)
  expect(lookout!.refused()[0]?.reason).toContain('give it another one')
  await afterLooks(3)
  expect(opened).toEqual([])
})
