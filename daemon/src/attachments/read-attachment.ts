import type { VaultPath } from '../files/vault-path.ts'
import { readWhole } from '../files/open-file.ts'
import type { Vault } from '../vaults/vault.ts'
import { toAttachmentView, type AttachmentView } from './list-attachments.ts'
import { createHash } from 'node:crypto'
import type { FileStamp } from '../files/file-stamp.ts'

type Request = { vault: Vault; path: VaultPath; maxBytes: number }

/** Reads a whole attachment; fails with `payload_too_large` above the limit. */
export async function readAttachment({
  vault,
  path,
  maxBytes,
}: Request): Promise<AttachmentView & { baseline: string; bytes: Buffer }> {
  const stored = vault.manifest.onDisk(path)
  await vault.files.mounted.refuseAway(stored)
  const { bytes, stamp } = await readWhole(vault.layout.root, stored, maxBytes)
  return { ...toAttachmentView(stored, stamp), baseline: attachmentBaseline(stamp), bytes }
}

/**
 * The baseline of an attachment. It is derived from the stamp of the file, because hashing the bytes could take long.
 */
export function attachmentBaseline({ ino, size, mtimeMs, ctimeMs }: FileStamp): string {
  return createHash('sha256').update(`${ino}:${size}:${mtimeMs}:${ctimeMs}`).digest('hex').slice(0, 24)
}
