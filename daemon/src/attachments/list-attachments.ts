import type { z } from 'zod'
import type { Attachment } from '@svc/shared/wire/daemon.api.ts'
import type { Vault } from '../vaults/vault.ts'
import type { FileStamp } from '../files/open-file.ts'
import { contentTypeOf } from './content-type.ts'

/** An attachment as listed. */
export type AttachmentView = z.infer<typeof Attachment>

/** How an attachment is shown to callers. */
export const toAttachmentView = (
  path: string,
  { size, mtimeMs }: Pick<FileStamp, 'size' | 'mtimeMs'>,
): AttachmentView => ({
  path,
  size,
  modifiedAt: new Date(mtimeMs).toISOString(),
  contentType: contentTypeOf(path),
})

/** All attachments of a vault by path. Markdown that has not been read yet is read, since it may not be text. */
export async function listAttachments(vault: Vault): Promise<AttachmentView[]> {
  await vault.listed
  for (const { path, facts } of vault.manifest.files()) if (!facts) await vault.recheck(path)

  return vault.manifest
    .files()
    .filter(({ facts }) => facts?.kind === 'attachment')
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, stamp }) => toAttachmentView(path, stamp))
}
