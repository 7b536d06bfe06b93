import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { TrashEntry } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { writeNewFile } from '../files/durable-file.ts'
import type { FileRoot } from '../files/file-root.ts'
import { errnoOf, toFileFailure, withFileFailures } from '../files/fs-failure.ts'
import { actorId, type Actor } from '../entry/actor.ts'
import { authorOf } from '../entry/author.ts'
import { inFolder, openFolder, openOrMakeFolder, type OpenFolder } from '../files/open-folder.ts'
import { exists, moveFolder } from '../files/place-file.ts'
import { NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { newName, TMP } from '../files/stage-file.ts'
import { splitPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'

/** The trash folder of a vault; it has one folder for each entry. */
export const TRASH = ['.svc', 'trash'] as const

/** Names in the folder of an entry. */
export const trashFiles = { entry: 'entry.json', content: 'content' } as const

const EntryFile = TrashEntry.pick({
  path: true,
  kind: true,
  deletedAt: true,
  deletedBy: true,
  deletedByName: true,
  person: true,
}).extend({
  /** The unsaved text of a note that was gone. It was in no revision, so deleting it for good withholds none. */
  rescued: z.literal(true).optional(),
})

/** An entry with all that its description says. */
export type StoredEntry = TrashEntry & z.infer<typeof EntryFile>

/** The person or agent who deleted, as stored in an entry. */
export function deleterOf(by: Actor): Pick<StoredEntry, 'deletedBy' | 'deletedByName' | 'person'> {
  const { name, person } = authorOf(by)
  return { deletedBy: actorId(by), deletedByName: name, ...(person && { person }) }
}

/** The id of a new entry. Ids sort by time; the random part keeps two of one millisecond apart. */
export const newEntryId = (clock: Clock): string =>
  `${clock.now().getTime().toString(36)}-${randomBytes(5).toString('hex')}`

/** Writes the description of an entry. It is written before the content, which could not be restored without it. */
export function writeEntry(root: FileRoot, folder: OpenFolder, entry: z.infer<typeof EntryFile>): Promise<void> {
  const file = { path: folder.at(trashFiles.entry), content: entryText(entry) }
  return writeNewFile({ ...file, owner: folder.ownerInside(), disk: root.disk })
}

/** The description of an entry as text. */
export const entryText = (entry: z.infer<typeof EntryFile>): string => `${JSON.stringify(entry, null, 2)}\n`

/** The paths of the files of an entry within the vault. */
export const entryPaths = (id: string) => ({
  entry: [...TRASH, id, trashFiles.entry].join('/'),
  content: [...TRASH, id, trashFiles.content].join('/'),
})

/** The names in the trash. Only a missing trash folder counts as empty; one that cannot be read is an error. */
export async function entryIds(vault: Vault): Promise<string[]> {
  const { disk } = vault.files
  const list = (folder: OpenFolder) => withFileFailures(() => disk.readdir(folder.at('.')))
  return inFolder(openFolder(vault.files, TRASH), list).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return []
    throw isFailure(error, 'invalid_request') ? fail('path_conflict', { existing: TRASH.join('/') }) : error
  })
}

/** Opens the folder of an entry, or fails with `not_found` when it is not an entry that we wrote. */
export function withEntry<T>(
  vault: Vault,
  id: string,
  use: (folder: OpenFolder, entry: StoredEntry) => Promise<T>,
): Promise<T> {
  return inFolder(openFolder(vault.files, [...TRASH, id]), async (folder) => {
    const entry = await readEntry(vault, folder, id)
    if (!entry) throw fail('not_found')
    return use(folder, entry)
  })
}

/** Reads an entry; returns undefined for anything that somebody else has put into the trash. */
export function findEntry(vault: Vault, id: string): Promise<TrashEntry | undefined> {
  return withEntry(vault, id, async (_folder, { rescued: _rescued, ...entry }) => entry).catch((error: unknown) => {
    if (isFailure(error, 'not_found') || isFailure(error, 'invalid_request')) return undefined
    throw error
  })
}

/** The paths of the files in a removed folder, as they were or will be if the folder is at `path`. */
export async function filesBelow(folder: OpenFolder, path: string): Promise<string[]> {
  const files = await withFileFailures(() =>
    readdir(folder.at(trashFiles.content), { recursive: true, withFileTypes: true }),
  )
  const start = folder.at(trashFiles.content).length
  return files.filter((file) => file.isFile()).map((file) => `${path}${file.parentPath.slice(start)}/${file.name}`)
}

/** Removes an entry with all its content, durably. */
export function removeEntry(vault: Vault, id: string): Promise<void> {
  return inFolder(openFolder(vault.files, TRASH), (trash) =>
    withFileFailures(async () => {
      await vault.files.disk.rm(trash.at(id), { recursive: true, force: true })
      await trash.sync()
    }),
  )
}

/** Removes a file from the entry of a deleted folder, durably. */
export function removeFromEntry({ files }: Vault, path: string): Promise<void> {
  const { folders, name } = splitPath(path)
  return inFolder(openFolder(files, folders), (folder) =>
    withFileFailures(async () => {
      await files.disk.rm(folder.at(name), { force: true })
      await folder.sync()
    }),
  )
}

/**
 * Removes an entry after a deletion that failed, as far as possible. One with content stays: the file or folder could
 * not be moved back, and can be restored from there.
 */
export async function removeEmptyEntry(vault: Vault, id: string): Promise<void> {
  const hasContent = (folder: OpenFolder) => exists(vault.files.disk, folder.at(trashFiles.content))
  // An entry that cannot be read may have content.
  const isFilled = await inFolder(openFolder(vault.files, [...TRASH, id]), hasContent).catch(() => true)
  if (!isFilled) await removeEntry(vault, id).catch(() => {})
}

/**
 * Removes an entry permanently and as a whole: the rename out of the trash is decisive, and its files are removed
 * afterwards.
 */
export function eraseEntry({ files }: Vault, id: string): Promise<void> {
  return inFolder(openOrMakeFolder(files, TMP), (tmp) =>
    inFolder(openFolder(files, TRASH), async (trash) => {
      const name = newName()
      await moveFolder(files, { folder: trash, name: id }, { folder: tmp, name })
      // The next start removes what cannot be removed now.
      await files.disk.rm(tmp.at(name), { recursive: true, force: true }).catch(() => {})
    }),
  )
}

async function readEntry(vault: Vault, folder: OpenFolder, id: string): Promise<StoredEntry | undefined> {
  try {
    const stat = await vault.files.disk.lstat(folder.at(trashFiles.content))
    const text = await readOwnFile(folder.at(trashFiles.entry))
    if (text === undefined) return undefined
    const entry = EntryFile.parse(JSON.parse(text))
    const isWhole = entry.kind === 'folder' ? stat.isDirectory() : stat.isFile()
    return isWhole ? { id, size: stat.isFile() ? stat.size : 0, ...entry } : undefined
  } catch (error) {
    const isForeign = error instanceof NotRegularFile || error instanceof SyntaxError || error instanceof z.ZodError
    if (isForeign || errnoOf(error) === 'ENOENT') return undefined
    throw toFileFailure(error)
  }
}
