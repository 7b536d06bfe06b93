import { z } from 'zod'
import { intentFile } from './intent-file.ts'

/** The settings of folders: the one file below `.svc` that a move rewrites. */
export const FOLDERS_FILE = '.svc/folders.yml'

/** What identifies a file: linking and renaming it changes none of this. */
export const Identity = z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() })
/**
 * A path that stays in the vault and is not hidden. Other rules for paths do not apply: other programs create files with
 * names that our own API refuses, and a change of such a file must be undone too.
 */
export const VaultPath = z.string().refine(isInside)
/** A name in the folder for temporary files. */
export const DraftName = z.string().regex(/^[0-9a-f]{24}$/)

const Rewrite = z.object({
  /** The path of the file before the move. */
  path: VaultPath.or(z.literal(FOLDERS_FILE)),
  /** The name of the new content in the folder for temporary files. */
  staged: DraftName,
  /** The name under which the old content is kept there until the move is finished. */
  held: DraftName,
  before: Identity,
  after: Identity,
})
export type Rewrite = z.infer<typeof Rewrite>

/**
 * What a move is about to do. While this file exists, a move has begun and is not finished. If the moved file or folder
 * is at `to`, the move is done; otherwise the rewritten files are restored.
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

/** The file with the intent of a move. */
export const moveIntent = intentFile({ name: 'move.json', schema: MoveIntent, list: 'rewrites', item: Rewrite })

function isInside(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((segment) => segment !== '' && !segment.startsWith('.'))
}
