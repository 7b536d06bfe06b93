import type { FileRoot } from '../files/file-root.ts'
import { recoverMove } from './carry-out-move.ts'
import { recoverJointChange } from './joint-change.ts'

/** Ends what a crash has interrupted: nothing of it is left, or all of it is made. Answers whether there was something. */
export async function recoverChanges(root: FileRoot): Promise<boolean> {
  const isMoveEnded = await recoverMove(root)
  const isChangeEnded = await recoverJointChange(root)
  return isMoveEnded || isChangeEnded
}
