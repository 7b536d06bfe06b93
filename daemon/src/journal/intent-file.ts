import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { fail } from '@svc/shared/wire/errors.ts'
import { writeNewFile } from '../files/durable-file.ts'
import type { FileRoot } from '../files/file-root.ts'
import { errnoOf, withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { exists } from '../files/place-file.ts'
import { FileTooLarge, NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { newName, TMP } from '../files/stage-file.ts'

/**
 * A file below `.svc` that says what a change of many files is about to do. While it exists, the change is not
 * finished.
 */
export type IntentFile<Intent> = {
  /** Makes an intent durable. From here on, a crash leads to the recovery of the change. */
  write(root: FileRoot, intent: Intent): Promise<void>
  /** Reads the intent that an interrupted change has left. Throws `UnreadableIntent` for a file that is no intent. */
  read(root: FileRoot): Promise<Intent | undefined>
  /** True if anything has the name of the intent. */
  isThere(root: FileRoot): Promise<boolean>
  /** Removes the intent, durably or not at all: the change is finished. */
  clear(root: FileRoot): Promise<void>
}

/**
 * An intent that cannot be understood: it is damaged, or a newer version wrote it. The files that its change has held
 * may be the only ones with their content.
 */
export class UnreadableIntent extends Error {
  readonly file: string

  constructor(file: string, cause: unknown) {
    super(`.svc/${file} cannot be read`, { cause })
    this.name = 'UnreadableIntent'
    this.file = file
  }
}

/** The folder of a vault for its metadata. */
export const META = ['.svc'] as const

// A line for each changed file: enough for every note of the largest vault.
const MAX_BYTES = 64 * 1024 * 1024
// About a millisecond of work.
const ITEMS_AT_ONCE = 100

type Format<Intent> = {
  name: string
  schema: z.ZodType<Intent>
  /** The list that has an item for each changed file. */
  list: keyof Intent & string
  item: z.ZodType
}

/** The intent file of a format. What it writes can be read: an intent that does not fit its schema is refused. */
export function intentFile<Intent extends object>(format: Format<Intent>): IntentFile<Intent> {
  const { name, schema } = format
  return {
    write: (root, intent) =>
      withFileFailures(() =>
        inFolder(openOrMakeFolder(root, TMP), async (tmp) => {
          const content = await textOf(format, intent)
          const folder = await openFolder(root, META)
          const draft = tmp.at(newName())
          try {
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
          throw isUnreadable(error) ? new UnreadableIntent(name, error) : error
        }
      }),

    isThere: (root) =>
      withFileFailures(() => inFolder(openFolder(root, META), (folder) => exists(root.disk, folder.at(name)))),

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

/** The text of an intent, checked item by item: a move may rewrite every note of a vault. */
async function textOf<Intent extends object>({ schema, list, item }: Format<Intent>, intent: Intent): Promise<Buffer> {
  const { [list]: items, ...rest } = intent
  const head = schema.parse({ ...rest, [list]: [] })
  const texts: string[] = []
  for (const one of items as readonly unknown[]) {
    texts.push(JSON.stringify(item.parse(one)))
    if (texts.length % ITEMS_AT_ONCE === 0) await setImmediate()
  }
  const ends = JSON.stringify({ ...head, [list]: undefined }).slice(0, -1)
  const content = Buffer.from(`${ends},${JSON.stringify(list)}:[${texts.join(',')}]}`)
  if (content.length > MAX_BYTES) throw fail('payload_too_large', { maxBytes: MAX_BYTES })
  return content
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  error instanceof z.ZodError ||
  error instanceof NotRegularFile ||
  error instanceof FileTooLarge
