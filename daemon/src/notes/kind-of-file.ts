import { isMarkdownName } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'

type Kind = 'note' | 'attachment'

/**
 * The kind of a file that is there, as it is now, inside the queue of its path. A file with the name of a note is a note
 * only if it is text, so it is read if it has changed or has not been read yet, as right after a start.
 */
export async function kindInQueue(vault: Vault, path: string): Promise<Kind> {
  if (isMarkdownName(path)) await vault.recheckInQueue(path)
  return knownKind(vault, path) ?? 'attachment'
}

/** The kind of a file as far as it is known. A file that may be a note and has not been read yet is read. */
export async function kindOfFile(vault: Vault, path: string): Promise<Kind> {
  if (isMarkdownName(path) && knownKind(vault, path) === undefined) await vault.recheck(path)
  return knownKind(vault, path) ?? 'attachment'
}

const knownKind = ({ manifest }: Vault, path: string): Kind | undefined => manifest.file(path)?.facts?.kind
