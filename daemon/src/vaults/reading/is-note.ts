import { isMarkdownName } from '../../files/vault-path.ts'
import type { Vault } from '../vault.ts'

/**
 * True when a path is that of a note. The bytes of a file decide that, so a file that has not been read yet is read;
 * inside the queue of the path, pass `recheckInQueue` for that.
 */
export async function isNote({ manifest, recheck }: Pick<Vault, 'manifest' | 'recheck'>, path: string) {
  if (isMarkdownName(path) && manifest.file(path)?.facts === undefined) await recheck(path)
  return manifest.file(path)?.facts?.kind === 'note'
}
