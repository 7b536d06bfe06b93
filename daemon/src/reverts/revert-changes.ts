import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { MoveInVault } from '../moves/move-in-vault.ts'
import type { DeleteNote } from '../notes/delete-note.ts'
import type { SaveNote } from '../notes/save-note.ts'
import type { FindRestoredWriters } from './restored-writers.ts'
import type { PlannedNote, PrepareRevert, RevertPlan, RevertWish } from './prepare-revert.ts'

/** Takes changes back. With the `review` of a plan, only if there is nothing else to do by now. */
export type RevertChanges = (wish: RevertWish & { by: Actor; review: string | undefined }) => Promise<RevertPlan>

type Deps = {
  prepareRevert: PrepareRevert
  findRestoredWriters: FindRestoredWriters
  saveNote: SaveNote
  deleteNote: DeleteNote
  moves: MoveInVault
}

const TOOL = 'revert'

/**
 * Carries a planned revert out. A note that somebody changes meanwhile stays as it is and is listed in `left`. Lines that
 * come back stay those of who wrote them.
 */
export function createRevertChanges(deps: Deps): RevertChanges {
  const { prepareRevert, findRestoredWriters, saveNote, deleteNote, moves } = deps

  async function carryOut({ vault, by }: RevertWish & { by: Actor }, note: PlannedNote): Promise<void> {
    const path = parseVaultPath(note.path)
    const { text: content, baseline, now, revisions } = note
    if (note.action === 'trash') await deleteNote.toTrash({ vault, path, baseline, by, tool: TOOL })
    else if (note.action === 'move_back') await moves.move({ vault, from: path, to: note.to!, links: 'rewritten', by })
    else {
      const expect = baseline === undefined ? { kind: 'absent' as const } : { kind: 'one_of' as const, baselines: [baseline] } // prettier-ignore
      const written = await findRestoredWriters({ vault, path, now, text: content, revisions })
      await saveNote({ vault, path, content, expect, by, tool: TOOL, written })
    }
  }

  return async (wish) => {
    const plan = await prepareRevert(wish)
    if (wish.review !== undefined && wish.review !== plan.review) throw fail('stale_doc', { review: plan.review })
    const done: PlannedNote[] = []
    const left = [...plan.left]
    for (const note of plan.notes) {
      try {
        await carryOut(wish, note)
        done.push(note)
      } catch (error) {
        if (!isFailure(error, 'stale_doc') && !isFailure(error, 'not_found') && !isFailure(error, 'note_exists')) throw error // prettier-ignore
        left.push({ path: note.path, reason: 'somebody has changed it meanwhile' })
      }
    }
    return { ...plan, notes: done, left }
  }
}
