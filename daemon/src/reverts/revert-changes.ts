import { fail } from '@svc/shared/wire/errors.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { ignoreMissing } from '../files/fs-failure.ts'
import type { Actor } from '../entry/actor.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { makeJointChange } from '../journal/joint-change.ts'
import { recoverChanges } from '../journal/recover-changes.ts'
import { changeVaultTogether } from '../vaults/change-vault.ts'
import { refuseUnsaved } from '../vaults/live-notes.ts'
import type { Vault } from '../vaults/vault.ts'
import { pathAfter, REVERT, type PlannedNote } from './planned-note.ts'
import type { PrepareRevert, RevertPlan, RevertWish } from './prepare-revert.ts'
import type { StagedRevert, StageRevert } from './stage-revert.ts'

type Wish = RevertWish & { by: Actor; review: string | undefined }

/** Reverts changes. With the `review` of a plan, only if the plan is still the same. */
export type RevertChanges = (wish: Wish) => Promise<RevertPlan>

type Deps = {
  prepareRevert: PrepareRevert
  stageRevert: StageRevert
  historyOf: (vault: Vault) => Pick<NoteHistory, 'withheld'>
  log: Log
}

// Somebody may write a note between planning and reverting; then the next attempt plans again.
const MAX_ATTEMPTS = 5

/**
 * Carries out a planned revert completely or not at all, even across a kill or a power loss. Restored lines keep their
 * authors.
 */
export function createRevertChanges({ prepareRevert, stageRevert, historyOf, log }: Deps): RevertChanges {
  async function commit({ vault }: Wish, plan: RevertPlan, staged: StagedRevert): Promise<boolean> {
    // Live text is saved first, so that it is part of the comparison.
    const failed = await vault.live.saveAll()
    const touched = staged.change.steps.map(({ path }) => path)
    refuseUnsaved(failed, touched)
    await recoverChanges(vault.files)
    const { withheld } = historyOf(vault)
    if (plan.notes.some(({ paths }) => paths.some((path) => withheld(path)))) return false
    if (!(await staged.isCurrent())) return false
    const { change, audited: changes } = staged
    const isMade = await changeVaultTogether({ vault, changes }, async () => {
      if (!(await makeJointChange({ root: vault.files, change }))) return undefined
      // The files are in place: an error while announcing this must not make the revert look failed.
      await staged
        .announce()
        .catch((error: unknown) => log.error({ err: error }, 'a revert could not be announced completely'))
      return true
    })
    return isMade ?? false
  }

  return async (wish) => {
    const { vault, by, review } = wish
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const failed = await vault.live.flush()
      const plan = await prepareRevert(wish)
      if (review !== undefined && review !== plan.review) throw fail('stale_doc', { review: plan.review })
      if (plan.notes.length === 0) {
        if (review !== undefined) await vault.audit.record({ by, tool: REVERT, path: wish.path ?? '' })
        return plan
      }
      refuseUnsaved(failed, plan.notes.flatMap(touchedBy))
      // A planned file that has been moved or deleted meanwhile is planned again.
      const staged = await stageRevert({ vault, by, notes: plan.notes, emptied: plan.emptied }).catch(ignoreMissing)
      if (!staged) continue
      try {
        if (await vault.queue.runAlone(() => commit(wish, plan, staged)))
          return { ...plan, notes: plan.notes.map((note) => ({ ...note, after: staged.baselineAfter(note) })) }
      } finally {
        await staged.discard()
      }
    }
    throw fail('stale_doc', { reason: 'Notes that it would change are changed all the time.' })
  }
}

/** The paths at which a revert changes something for a note. One that comes back is not at its last path any more. */
function touchedBy(note: PlannedNote): string[] {
  const after = pathAfter(note)
  return [...(note.action === 'bring_back' ? [] : [note.path]), ...(after === undefined ? [] : [after])]
}
