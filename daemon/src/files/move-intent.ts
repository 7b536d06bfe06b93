import { z } from 'zod'
import { writeNewFile } from './durable-file.ts'
import type { FileRoot } from './file-root.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { errnoOf, withFileFailures } from './fs-failure.ts'
import { inFolder, openFolder, openOrMakeFolder } from './open-folder.ts'
import { NotRegularFile, readOwnFile } from './regular-file.ts'
import { newName, TMP } from './stage-file.ts'
import { pathProblem } from './vault-path.ts'

/** The settings of folders: the one file below `.svc` that a move rewrites. */
export const FOLDERS_FILE = '.svc/folders.yml'

const META = ['.svc'] as const
const NAME = 'move.json'
// A line for each rewritten note: enough for every note of the largest vault.
const MAX_BYTES = 64 * 1024 * 1024

const Identity = z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() })
const VaultPath = z.string().refine((path) => pathProblem(path) === undefined)
const DraftName = z.string().regex(/^[0-9a-f]{24}$/)

const Rewrite = z.object({
  /** Where the file lies before the move. */
  path: VaultPath.or(z.literal(FOLDERS_FILE)),
  /** The new content, in the folder for temporary files. */
  staged: DraftName,
  /** The old content is kept there under this name until the move is over. */
  held: DraftName,
  before: Identity,
  after: Identity,
})
export type Rewrite = z.infer<typeof Rewrite>

/**
 * What a move is about to do. While this file exists, a move has started and is not over: when the moved file or folder
 * is at `to`, the move is made; otherwise the rewritten files are restored.
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

/** Makes an intent durable. After a crash from here on, `recoverMove` runs. */
export function writeMoveIntent(root: FileRoot, intent: MoveIntent): Promise<void> {
  return withFileFailures(() =>
    inFolder(openOrMakeFolder(root, TMP), async (tmp) => {
      const folder = await openFolder(root, META)
      const draft = tmp.at(newName())
      try {
        await writeNewFile({ path: draft, content: JSON.stringify(intent), disk: root.disk })
        await root.disk.rename(draft, folder.at(NAME)).catch((error: unknown) => {
          throw errnoOf(error) === 'EISDIR' ? fail('path_conflict', { existing: `.svc/${NAME}` }) : error
        })
        await folder.sync()
      } catch (error) {
        await root.disk.rm(draft, { force: true }).catch(() => {})
        throw error
      } finally {
        await folder.close()
      }
    }),
  )
}

/** Reads the intent of an interrupted move. An unreadable one was not written by us and counts as none. */
export async function readMoveIntent(root: FileRoot): Promise<MoveIntent | undefined> {
  return inFolder(openFolder(root, META), async (folder) => {
    try {
      const text = await readOwnFile(folder.at(NAME), MAX_BYTES)
      return text === undefined ? undefined : MoveIntent.parse(JSON.parse(text))
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof NotRegularFile)
        return undefined
      throw error
    }
  })
}

/** Forgets an intent: the move is over. */
export function clearMoveIntent(root: FileRoot): Promise<void> {
  return withFileFailures(() =>
    inFolder(openFolder(root, META), async (folder) => {
      await root.disk.rm(folder.at(NAME)).catch((error: unknown) => {
        if (errnoOf(error) !== 'ENOENT') throw error
      })
      await folder.sync()
    }),
  )
}
