import { isMarkdownName } from '../files/vault-path.ts'
import type { Manifest } from './manifest.ts'
import type { RememberedFiles } from './remembered.ts'
import type { Pause } from './slices.ts'
import type { WalkedVault } from './walk-vault.ts'

/**
 * Applies the result of a walk to a manifest. What has become known of single files meanwhile is newer, and stays.
 * Returns false and changes nothing when the manifest now remembers other files than those that the walk compared with.
 */
export async function adoptWalk(
  manifest: Pick<Manifest, 'takeThere' | 'putFolder' | 'hasFile' | 'keepFile' | 'putFile'>,
  { files, walked }: { files: RememberedFiles; walked: WalkedVault },
  pause: Pause,
): Promise<boolean> {
  if (!manifest.takeThere(files, walked.isThere)) return false
  for (const folder of walked.folders) manifest.putFolder(folder)
  for (const path of walked.notNormal) if (!manifest.hasFile(path)) manifest.keepFile(path)
  for (const { path, stamp } of walked.others) {
    const facts = isMarkdownName(path) ? undefined : ({ kind: 'attachment' } as const)
    if (!manifest.hasFile(path)) manifest.putFile({ path, stamp, facts })
    await pause()
  }
  return true
}
