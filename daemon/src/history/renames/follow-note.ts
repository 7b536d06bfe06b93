import type { Rename } from '../commit-message.ts'

/** Where one note may be, after each commit in order. */
export type FollowedNote = {
  mayBeAt(name: string): boolean
  /** All paths at which it may have been. */
  names(): ReadonlySet<string>
  /** A note was deleted at this path, by these deletions. */
  deleted(name: string, deletions: readonly string[]): void
  /** The renames of one commit. */
  moved(renames: readonly Rename[]): void
  /** The deleted notes that one commit restored at other paths. */
  restored(restored: readonly Required<Rename>[]): void
}

/**
 * Follows a note from one of these paths. A note that is made at a path that it has left is another note. A deleted note
 * can come back from the trash at any time, and nothing tells it from a new note at its path: both are followed. Pure
 * except for its own state.
 */
export function followNote(paths: readonly string[]): FollowedNote {
  const present = new Set(paths)
  const names = new Set(paths)
  const deletedAt = new Set<string>()
  const deletions = new Set<string>()
  const come = (to: string) => {
    present.add(to)
    names.add(to)
  }

  return {
    mayBeAt: (name) => present.has(name),
    names: () => names,
    deleted(name, by) {
      if (!present.has(name)) return
      deletedAt.add(name)
      for (const deletion of by) deletions.add(deletion)
    },
    moved(renames) {
      const own = renames.filter(({ from }) => present.has(from))
      for (const { from } of own) if (!deletedAt.has(from)) present.delete(from)
      for (const { to } of own) come(to)
    },
    restored(restored) {
      for (const { deletion, to } of restored) if (deletions.has(deletion)) come(to)
    },
  }
}
