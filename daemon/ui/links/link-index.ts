import { FileNames } from '../../src/links/file-names.ts'
import type { TreeNode } from '../api/daemon-client.ts'

export type Entry = Exclude<TreeNode, { kind: 'folder' }>

/** Every note and attachment of a vault, found by path and by name. */
export type LinkIndex = {
  /** False until the tree is loaded, also when it could not be. Until then, no link can be resolved. */
  isKnown: boolean
  entries: readonly Entry[]
  notes: readonly Extract<Entry, { kind: 'note' }>[]
  find: (path: string) => Entry | undefined
  names: Pick<FileNames, 'named'>
}

/** Builds the index from the tree, if it has come. This is cheap enough to repeat whenever the tree changes. */
export function linkIndex(tree: readonly TreeNode[] | undefined): LinkIndex {
  const entries: Entry[] = []
  const names = new FileNames()
  const byPath = new Map<string, Entry>()
  collect(tree ?? [], entries)
  for (const entry of entries) {
    byPath.set(entry.path, entry)
    names.add(entry.path)
  }

  return {
    isKnown: tree !== undefined,
    entries,
    notes: entries.filter((entry) => entry.kind === 'note'),
    find: (path) => byPath.get(path),
    names,
  }
}

/** No path of a vault is longer. Normalizing a run of combining marks takes quadratic time, so longer texts are not. */
export const MAX_PATH_LENGTH = 4096

/** The form in which names and paths are compared: NFC, lower case. A text longer than any path stays as it is. */
export function comparable(text: string): string {
  return text.length > MAX_PATH_LENGTH ? text : text.normalize('NFC').toLowerCase()
}

/** Whether a file with this name or path is a note. All others are attachments. */
export const isNoteName = (path: string): boolean => /\.(?:md|markdown)$/i.test(path)

/** A note's path without its `.md`. */
export function withoutExtension(path: string): string {
  return path.replace(/\.md$/i, '')
}

function collect(nodes: readonly TreeNode[], entries: Entry[]) {
  for (const node of nodes) {
    if (node.kind === 'folder') collect(node.children, entries)
    else entries.push(node)
  }
}
