import type { z } from 'zod'
import type { Attachment } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { Vault } from '../vaults/vault.ts'
import { fileTimeText } from '../files/file-date.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { slices } from '../watch/slices.ts'
import { sortInSlices } from '../watch/sort-in-slices.ts'
import { contentTypeOf } from './content-type.ts'

/** An attachment as listed. */
export type AttachmentView = z.infer<typeof Attachment>

/** An attachment in the form of the API. */
export const toAttachmentView = (
  path: string,
  { size, mtimeMs }: Pick<FileStamp, 'size' | 'mtimeMs'>,
): AttachmentView => ({
  path,
  size,
  modifiedAt: fileTimeText(mtimeMs),
  contentType: contentTypeOf(path),
})

/**
 * All attachments of a vault by path. Reads Markdown files that have not been read yet, because they may not be text.
 */
export async function listAttachments(vault: Vault): Promise<AttachmentView[]> {
  await vault.listed
  for (const path of vault.manifest.unread()) await vault.recheck(path)

  const pause = slices()
  const attachments: AttachmentView[] = []
  for (const { path, stamp, facts } of vault.manifest.files()) {
    if (facts?.kind === 'attachment') attachments.push(toAttachmentView(path, stamp))
    await pause()
  }
  return sortInSlices(attachments, (a, b) => (a.path < b.path ? -1 : 1), pause)
}
