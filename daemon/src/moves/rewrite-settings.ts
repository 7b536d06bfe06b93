import { isFailure } from '@svc/shared/wire/errors.ts'
import { baselineOf } from '../files/baseline.ts'
import { readWhole } from '../files/open-file.ts'
import { FOLDERS_FILE } from '../journal/move-intent.ts'
import { decodeNote } from '../notes/decode-note.ts'
import type { Vault } from '../vaults/vault.ts'
import type { PlannedRewrite } from './links-plan.ts'
import { movedSettings } from './moved-settings.ts'

const MAX_SETTINGS = 1024 * 1024

/** The settings of folders after folders have moved, one after the other; undefined if they stay the same. */
export async function rewriteSettings(
  vault: Vault,
  moves: readonly { from: string; to: string }[],
): Promise<PlannedRewrite | undefined> {
  const seen = await readWhole(vault.layout.root, FOLDERS_FILE, MAX_SETTINGS).catch((error: unknown) => {
    // An invalid settings file is left unchanged, as readers ignore it too.
    if (isFailure(error, 'not_found') || isFailure(error, 'payload_too_large')) return undefined
    throw error
  })
  const text = seen && decodeNote(seen.bytes)
  if (!seen || text === undefined) return undefined
  const moved = moves.reduce((now, move) => movedSettings(now, move) ?? now, text)
  if (moved === text) return undefined
  const content = Buffer.from(moved)
  const { stamp, access } = seen
  return { path: FOLDERS_FILE, stamp, access, content, baseline: baselineOf(content), changes: [] }
}
