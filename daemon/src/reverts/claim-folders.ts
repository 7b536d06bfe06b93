import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vault } from '../vaults/vault.ts'
import { placeNow } from './claim-paths.ts'
import { leftReasons } from './left-reasons.ts'
import { pathAfter, type PlannedNote } from './planned-note.ts'
import { settleFolders } from './settle-folders.ts'

type FolderClaim = Parameters<typeof settleFolders>[0][number] & { planned: PlannedNote | undefined }
type Claimed = {
  met: PlannedNote[]
  /** Folders that are removed and not moved back. */
  emptied: string[]
  left: { path: string; reason: string }[]
}

type Wish = {
  folders: readonly PlannedNote[]
  /** Folders that moves have created above their targets. */
  madeFolders: readonly string[]
  notes: readonly PlannedNote[]
}

/**
 * The planned folders that can come back when the `notes` and attachments are back, and the folders that stay, with
 * reasons.
 */
export async function claimFolders(vault: Vault, { folders, madeFolders, notes }: Wish): Promise<Claimed> {
  // Names that a vault does not show, such as those of file managers, are in the way as well.
  const namesIn = (path: string) => readdir(join(vault.layout.root, path)).catch(() => undefined)
  const claims: FolderClaim[] = []
  for (const path of madeFolders) {
    const names = await namesIn(path)
    if (names) claims.push({ planned: undefined, path, to: undefined, there: 'free', names })
  }
  for (const planned of folders) {
    const { path, to } = planned
    if (to === undefined) continue
    const names = await namesIn(path)
    // A folder that nobody can look into, or that is gone by now, stays as it is.
    if (!names) continue
    const there = vault.manifest.hasFolder(to) ? ('folder' as const) : await placeNow(vault, to, path)
    claims.push({ planned, path, to, there, names })
  }
  const leaving = new Set(
    notes
      .filter(({ action, path, to }) => action === 'trash' || (action === 'move_back' && to !== path))
      .map(({ path }) => path),
  )
  const arriving = notes.flatMap((note) => (note.action === 'edit' ? [] : (pathAfter(note) ?? [])))
  const { met, unmet } = settleFolders(claims, { leaving, arriving })
  return {
    met: met.flatMap(({ folder: { planned }, isEmptied }) => (planned ? { ...planned, isEmptied } : [])),
    emptied: met.flatMap(({ folder: { planned, path } }) => (planned ? [] : path)),
    left: [
      ...met.filter(({ isEmptied }) => !isEmptied).map(({ folder: { path } }) => ({ path, reason: leftReasons.inUse })),
      ...unmet.map(({ path, there }) => ({
        path,
        reason: there === 'unusable' ? leftReasons.unusable : leftReasons.taken,
      })),
    ],
  }
}
