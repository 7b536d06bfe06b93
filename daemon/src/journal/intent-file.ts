import { z } from 'zod'
import { fail } from '@svc/shared/wire/errors.ts'
import { writeNewFile } from '../files/durable-file.ts'
import type { FileRoot } from '../files/file-root.ts'
import { errnoOf, withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { newName, TMP } from '../files/stage-file.ts'

/**
 * A file below `.svc` that says what a change of many files is about to do. While it exists, the change is not
 * finished.
 */
export type IntentFile<Intent> = {
  /** Makes an intent durable. From here on, a crash leads to the recovery of the change. */
  write(root: FileRoot, intent: Intent): Promise<void>
  /**
   * Reads the intent that an interrupted change has left. A file that cannot be parsed was not written by us, and
   * counts as none.
   */
  read(root: FileRoot): Promise<Intent | undefined>
  /** Removes the intent, durably or not at all: the change is finished. */
  clear(root: FileRoot): Promise<void>
}

const META = ['.svc'] as const
// A line for each changed file: enough for every note of the largest vault.
const MAX_BYTES = 64 * 1024 * 1024

/** The intent file with this name. */
export function intentFile<Intent>(name: string, schema: z.ZodType<Intent>): IntentFile<Intent> {
  return {
    write: (root, intent) =>
      withFileFailures(() =>
        inFolder(openOrMakeFolder(root, TMP), async (tmp) => {
          const folder = await openFolder(root, META)
          const draft = tmp.at(newName())
          try {
            const content = JSON.stringify(intent)
            await writeNewFile({ path: draft, content, owner: tmp.ownerInside(), disk: root.disk })
            await root.disk.rename(draft, folder.at(name)).catch((error: unknown) => {
              throw errnoOf(error) === 'EISDIR' ? fail('path_conflict', { existing: `.svc/${name}` }) : error
            })
            await folder.sync()
          } catch (error) {
            await root.disk.rm(draft, { force: true }).catch(() => {})
            throw error
          } finally {
            await folder.close()
          }
        }),
      ),

    read: (root) =>
      inFolder(openFolder(root, META), async (folder) => {
        try {
          const text = await readOwnFile(folder.at(name), MAX_BYTES)
          return text === undefined ? undefined : schema.parse(JSON.parse(text))
        } catch (error) {
          if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof NotRegularFile)
            return undefined
          throw error
        }
      }),

    clear: (root) =>
      withFileFailures(() =>
        inFolder(openOrMakeFolder(root, TMP), (tmp) =>
          inFolder(openFolder(root, META), async (folder) => {
            const away = tmp.at(newName())
            const isTaken = await root.disk.rename(folder.at(name), away).then(
              () => true,
              (error: unknown) => {
                if (errnoOf(error) === 'ENOENT') return false
                throw error
              },
            )
            await folder.sync().catch(async (error: unknown) => {
              if (isTaken) await root.disk.rename(away, folder.at(name))
              throw error
            })
            await root.disk.rm(away, { force: true }).catch(() => {})
          }),
        ),
      ),
  }
}
