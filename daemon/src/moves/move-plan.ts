import { isFailure } from '@svc/shared/wire/errors.ts'
import { baselineOf } from '../files/baseline.ts'
import { readWhole } from '../files/open-file.ts'
import { FOLDERS_FILE } from '../journal/move-intent.ts'
import { decodeNote } from '../notes/decode-note.ts'
import type { Vault } from '../vaults/vault.ts'
import { movedFiles, type MoveSource } from './moved-files.ts'
import type { MovedFiles } from './moved-names.ts'
import { movedSettings } from './moved-settings.ts'
import type { PlanLinks, PlannedRewrite } from './links-plan.ts'

/** Where the files of a move go. `isCurrent` is false when links of the vault have changed since. */
export type PlannedMove = { moved: MovedFiles; isCurrent(): Promise<boolean> }

/** Whether links are rewritten, or stay as written, whatever they refer to afterwards. */
export type Links = 'rewritten' | 'left'

type Wish = { vault: Vault; source: MoveSource; to: string; links: Links }

/** Plans moves. `take` gets each rewritten file as soon as it is known, so that not all of them are held at once. */
export type PlanMove = (wish: Wish, take: (rewrite: PlannedRewrite) => Promise<void>) => Promise<PlannedMove>

const MAX_SETTINGS = 1024 * 1024

export function createPlanMove({ planLinks }: { planLinks: PlanLinks }): PlanMove {
  return async ({ vault, source, to, links: wanted }, take) => {
    const moved = movedFiles(vault, source, to)
    if (source.kind === 'folder') {
      const settings = await rewriteSettings(vault, { from: source.path, to })
      if (settings) await take(settings)
    }
    if (wanted === 'left') return { moved, isCurrent: async () => true }
    return { moved, ...(await planLinks({ vault, moved }, take)) }
  }
}

async function rewriteSettings(vault: Vault, move: { from: string; to: string }): Promise<PlannedRewrite | undefined> {
  const seen = await readWhole(vault.layout.root, FOLDERS_FILE, MAX_SETTINGS).catch((error: unknown) => {
    // An invalid settings file is left unchanged, as readers ignore it too.
    if (isFailure(error, 'not_found') || isFailure(error, 'payload_too_large')) return undefined
    throw error
  })
  const text = seen && decodeNote(seen.bytes)
  const moved = text === undefined ? undefined : movedSettings(text, move)
  if (!seen || moved === undefined) return undefined
  const content = Buffer.from(moved)
  return { path: FOLDERS_FILE, stamp: seen.stamp, mode: seen.mode, content, baseline: baselineOf(content), changes: [] }
}
