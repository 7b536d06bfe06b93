import type { Vault } from '../vaults/vault.ts'
import { movedFiles, type MoveSource } from './moved-files.ts'
import type { MovedFiles } from './moved-names.ts'
import { rewriteSettings } from './rewrite-settings.ts'
import type { PlanLinks, PlannedRewrite } from './links-plan.ts'

/** The new paths of the files of a move. `isCurrent` is false if links of the vault have changed since. */
export type PlannedMove = { moved: MovedFiles; isCurrent(): Promise<boolean> }

/** Whether links are rewritten, or stay as written, whatever they refer to afterwards. */
export type Links = 'rewritten' | 'left'

type Wish = { vault: Vault; source: MoveSource; to: string; links: Links }

/**
 * Plans moves. `take` gets each rewritten file as soon as it is known, so that not all of them are in memory at once.
 */
export type PlanMove = (wish: Wish, take: (rewrite: PlannedRewrite) => Promise<void>) => Promise<PlannedMove>

export function createPlanMove({ planLinks }: { planLinks: PlanLinks }): PlanMove {
  return async ({ vault, source, to, links: wanted }, take) => {
    const moved = await movedFiles(vault, source, to)
    if (source.kind === 'folder') {
      const settings = await rewriteSettings(vault, [{ from: source.path, to }])
      if (settings) await take(settings)
    }
    if (wanted === 'left') return { moved, isCurrent: async () => true }
    return { moved, ...(await planLinks({ vault, moved, tooManyLinks: 'refused' }, take)) }
  }
}
