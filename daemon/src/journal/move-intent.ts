import { z } from 'zod'
import { pathProblem } from '../files/vault-path.ts'
import { intentFile } from './intent-file.ts'

/** The settings of folders: the one file below `.svc` that a move rewrites. */
export const FOLDERS_FILE = '.svc/folders.yml'

/** By what a file is known again: linking and renaming it changes none of this. */
export const Identity = z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() })
export const VaultPath = z.string().refine((path) => pathProblem(path) === undefined)
/** A name in the folder for files on their way. */
export const DraftName = z.string().regex(/^[0-9a-f]{24}$/)

const Rewrite = z.object({
  /** Where the file lies before the move. */
  path: VaultPath.or(z.literal(FOLDERS_FILE)),
  /** The new content, in the folder for files on their way. */
  staged: DraftName,
  /** Under this name the old content is held there until the move is over. */
  held: DraftName,
  before: Identity,
  after: Identity,
})
export type Rewrite = z.infer<typeof Rewrite>

/**
 * What a move is about to do. While this file is there, a move has begun and is not over: when the moved file or folder
 * lies at `to`, the move is made; otherwise the rewritten files are put back.
 */
export const MoveIntent = z.object({
  format: z.literal(1),
  from: VaultPath,
  to: VaultPath,
  /** The inode of the moved file or folder. */
  moved: z.number(),
  rewrites: z.array(Rewrite),
})
export type MoveIntent = z.infer<typeof MoveIntent>

/** Where a move says what it is about to do. */
export const moveIntent = intentFile('move.json', MoveIntent)
