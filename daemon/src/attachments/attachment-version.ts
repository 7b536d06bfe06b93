import { createHash } from 'node:crypto'
import type { FileStamp } from '../files/open-file.ts'

/** The baseline of an attachment: of its place on disk, not its bytes, since those may be many. */
export function attachmentBaseline({ ino, size, mtimeMs, ctimeMs }: FileStamp): string {
  return createHash('sha256').update(`${ino}:${size}:${mtimeMs}:${ctimeMs}`).digest('hex').slice(0, 24)
}
