import type { FileRoot } from '../files/file-root.ts'
import { recoverMove } from './carry-out-move.ts'
import { recoverJointChange } from './joint-change.ts'

/** Recovers from a crash during a change: each change is either undone or completed. Returns whether there was one. */
export async function recoverChanges(root: FileRoot): Promise<boolean> {
  const isMoveEnded = await recoverMove(root)
  const isChangeEnded = await recoverJointChange(root)
  return isMoveEnded || isChangeEnded
}
