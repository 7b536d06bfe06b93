import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { makeFolders, makeNewFolder, ownerOfNew, syncFolder, writeNewFile } from '../files/durable-file.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { isAsideName } from './state/known-record.ts'
import { starterNotes } from './starter-notes.ts'
import { adoptVault, newVaultFile, type VaultFile } from './vault-identity.ts'
import { vaultLayout } from './vault-layout.ts'

/** Writes the first files of a vault into its folder, durably. Fails soon after `stop` has aborted. */
export type FillVault = (folder: string, stop: AbortSignal) => Promise<void>

type NewVault = {
  vaultsFolder: string
  id: string
  displayName: string
  clock: Clock
  fill?: FillVault | undefined
  stop: AbortSignal
}

/** A vault that is complete and durable, but has no path yet. */
export type VaultDraft = {
  file: VaultFile
  /** Moves it to its path; fails with `vault_exists` if that is taken. */
  place(): Promise<void>
  /** Removes it, unless it has its path. */
  discard(): Promise<void>
}

/** Prefix of a vault that is not complete yet; a start removes those that a killed process left. */
export const DRAFT_PREFIX = '.new-'

/**
 * True for a directory that is or becomes a vault, also a hidden one; false for a vault that is still being created,
 * and for a name that no vault may have.
 */
export const isVaultDirectory = (entry: { name: string; isDirectory(): boolean }): boolean =>
  entry.isDirectory() && !entry.name.startsWith(DRAFT_PREFIX) && !isAsideName(entry.name)

/** Creates a vault in a draft folder, with starter notes or with `fill`. */
export async function draftVault({ vaultsFolder, id, displayName, clock, fill, stop }: NewVault): Promise<VaultDraft> {
  const draft = join(vaultsFolder, `${DRAFT_PREFIX}${randomBytes(8).toString('hex')}`)
  const file = newVaultFile(id, displayName, clock)
  const discard = () => rm(draft, { recursive: true, force: true })
  try {
    await makeNewFolder(draft)
    await adoptVault(draft, file)
    await (fill ?? withStarterNotes(displayName))(draft, stop)
  } catch (error) {
    await discard()
    throw asTaken(error)
  }
  return {
    file,
    discard,
    async place() {
      await rename(draft, join(vaultsFolder, id)).catch((error: unknown) => {
        throw asTaken(error)
      })
      await syncFolder(vaultsFolder)
    },
  }
}

const asTaken = (error: unknown): unknown =>
  ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '') ? fail('vault_exists') : error

function withStarterNotes(displayName: string): FillVault {
  return async (folder) => {
    await writeDurably(vaultLayout(folder).foldersFile, 'format: 1\nfolders: {}\n')
    for (const [path, text] of starterNotes(displayName)) await writeDurably(join(folder, path), text)
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  await makeFolders(dirname(path))
  await writeNewFile({ path, content: text, mode: 0o666, owner: await ownerOfNew(path) })
  await syncFolder(dirname(path))
}
