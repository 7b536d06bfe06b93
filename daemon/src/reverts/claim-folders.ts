import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vault } from '../vaults/vault.ts'
import { placeNow } from './claim-paths.ts'
import { leftReasons } from './left-reasons.ts'
import { pathAfter, type PlannedNote } from './planned-note.ts'
import { settleFolders } from './settle-folders.ts'

type Claimed = { met: PlannedNote[]; left: { path: string; reason: string }[] }

/** The planned folders that can come back when the `notes` and attachments are back, and what of them stays. */
export async function claimFolders(
  vault: Vault,
  folders: readonly PlannedNote[],
  notes: readonly PlannedNote[],
): Promise<Claimed> {
  const claims = []
  for (const planned of folders) {
    const { path, to } = planned
    if (to === undefined) continue
    // Names that a vault does not show, such as those of file managers, are in the way as well.
    const names = await readdir(join(vault.layout.root, path)).catch(() => undefined)
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
    met: met.map(({ folder: { planned }, isEmptied }) => ({ ...planned, isEmptied })),
    left: [
      ...met.filter(({ isEmptied }) => !isEmptied).map(({ folder: { path } }) => ({ path, reason: leftReasons.inUse })),
      ...unmet.map(({ path, there }) => ({
        path,
        reason: there === 'unusable' ? leftReasons.unusable : leftReasons.taken,
      })),
    ],
  }
}
