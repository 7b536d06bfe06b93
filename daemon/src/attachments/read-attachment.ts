import type { VaultPath } from '../files/vault-path.ts'
import { readWhole } from '../files/open-file.ts'
import type { Vault } from '../vaults/vault.ts'
import { attachmentBaseline } from './attachment-version.ts'
import { toAttachmentView, type AttachmentView } from './list-attachments.ts'

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
