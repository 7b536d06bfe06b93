import { isFailure } from '@svc/shared/wire/errors.ts'
import { blobNameOf } from '../files/baseline.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { readWhole } from '../files/open-file.ts'
import type { Vault } from '../vaults/vault.ts'
import { entryPaths, findEntry } from './trash-entry.ts'

/** A deleted note: its path, the deletion, and the name of the content that it had in the history. */
export type TrashedNote = { path: string; deletion: string; content: string }

/**
 * The files of the entry of a deleted note, with their stamps. Undefined when the note is not in the trash as an entry
 * of its own, or was not in the history as it is there.
 */
export async function noteInTrash(
  vault: Vault,
  { path, deletion, content }: TrashedNote,
): Promise<{ path: string; before: FileStamp }[] | undefined> {
  const entry = await findEntry(vault, deletion)
  if (entry?.kind !== 'note' || entry.path !== path) return undefined
  const { root } = vault.layout
  const paths = entryPaths(deletion)
  try {
    const note = await readWhole(root, paths.content, entry.size)
    if (blobNameOf(note.bytes) !== content) return undefined
    const description = await readWhole(root, paths.entry, Number.POSITIVE_INFINITY)
    return [
      { path: paths.content, before: note.stamp },
      { path: paths.entry, before: description.stamp },
    ]
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
