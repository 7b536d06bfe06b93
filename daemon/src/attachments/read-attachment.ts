import type { VaultPath } from '../files/vault-path.ts'
import { readWhole } from '../files/open-file.ts'
import type { Vault } from '../vaults/vault.ts'
import { toAttachmentView, type AttachmentView } from './list-attachments.ts'
import { createHash } from 'node:crypto'
import type { FileStamp } from '../files/open-file.ts'

type Request = { vault: Vault; path: VaultPath; maxBytes: number }

/** Reads an attachment as a whole; a longer one is `payload_too_large`. */
export async function readAttachment({
  vault,
  path,
  maxBytes,
}: Request): Promise<AttachmentView & { baseline: string; bytes: Buffer }> {
  const stored = vault.manifest.onDisk(path)
  const { bytes, stamp } = await readWhole(vault.layout.root, stored, maxBytes)
  return { ...toAttachmentView(stored, stamp), baseline: attachmentBaseline(stamp), bytes }
}

/** The baseline of an attachment: of its place on disk, not its bytes, since those may be many. */
export function attachmentBaseline({ ino, size, mtimeMs, ctimeMs }: FileStamp): string {
  return createHash('sha256').update(`${ino}:${size}:${mtimeMs}:${ctimeMs}`).digest('hex').slice(0, 24)
}
