import { isFailure } from '@svc/shared/wire/errors.ts'
import { blobNameOf } from '../files/baseline.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { readWhole } from '../files/open-file.ts'
import type { Vault } from '../vaults/vault.ts'
import { entryPaths, findEntry } from './trash-entry.ts'

/** A deleted note: its path, the deletion, and the name of the content that it had in the history. */
export type TrashedNote = { path: string; deletion: string; content: string }

/** The files with which a note leaves the trash: all of its own entry, or one file in the entry of its folder. */
type Leaving = { files: { path: string; before: FileStamp }[]; isWholeEntry: boolean }

/**
 * The files of a deleted note in the trash, with their stamps. Undefined when it is not there, or was not in the history
 * as it is there.
 */
export async function noteInTrash(
  vault: Vault,
  { path, deletion, content }: TrashedNote,
): Promise<Leaving | undefined> {
  const entry = await findEntry(vault, deletion)
  const isWholeEntry = entry?.kind === 'note' && entry.path === path
  const isInFolder = entry?.kind === 'folder' && path.startsWith(`${entry.path}/`)
  if (!isWholeEntry && !isInFolder) return undefined
  const { root } = vault.layout
  const paths = entryPaths(deletion)
  try {
    const file = paths.content + path.slice(entry.path.length)
    const note = await readWhole(root, file, Number.POSITIVE_INFINITY)
    if (blobNameOf(note.bytes) !== content) return undefined
    const files = [{ path: file, before: note.stamp }]
    if (isInFolder) return { files, isWholeEntry }
    const description = await readWhole(root, paths.entry, Number.POSITIVE_INFINITY)
    return { files: [...files, { path: paths.entry, before: description.stamp }], isWholeEntry }
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
