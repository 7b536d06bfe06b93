import type { Stats } from 'node:fs'
import type { OpenPiece } from './chunk-writer.ts'
import type { FileEntry, Manifest } from './backup-manifest.ts'

/** What is known from the previous backup: files that have not changed since, and where contents are stored. Pure. */
export type KnownContent = {
  /** The entry of a file that is unchanged and whose chunks are all stored. */
  unchanged(path: string, stat: Stats): FileEntry | undefined
  find(sha256: string, size: number): OpenPiece[] | undefined
}

/** If less than this share of a pack is still needed, its remaining files are packed again. */
const LEAST_USED = 0.5

/** Reads the manifest of the previous backup; content that is no longer stored counts as unknown. */
export function knownContent(previous: Manifest | undefined, stored: ReadonlySet<string>): KnownContent {
  const files = previous?.files ?? new Map<string, FileEntry>()
  const wasted = wastefulChunks(files.values())
  const isKept = ({ pieces }: FileEntry) => pieces.every(([chunk]) => stored.has(chunk) && !wasted.has(chunk))
  const contents = new Map<string, FileEntry>()
  for (const file of files.values()) if (file.size > 0 && isKept(file)) contents.set(file.sha256, file)

  return {
    unchanged(path, stat) {
      const file = files.get(path)
      if (file?.size !== stat.size || file.mtimeMs !== stat.mtimeMs) return undefined
      const isSame = file.stamp[0] === stat.ino && file.stamp[1] === stat.ctimeMs
      return isSame && isKept(file) ? file : undefined
    },
    find(sha256, size) {
      const file = contents.get(sha256)
      if (file?.size !== size) return undefined
      return file.pieces.map(([chunk, offset, length]) => ({ chunk, offset, length }))
    },
  }
}

// A chunk is at least as large as the end of its last piece. Two files may share one piece.
function wastefulChunks(files: Iterable<FileEntry>): Set<string> {
  const chunks = new Map<string, { end: number; used: Map<number, number> }>()
  for (const { pieces } of files)
    for (const [name, offset, length] of pieces) {
      const chunk = chunks.get(name) ?? { end: 0, used: new Map<number, number>() }
      chunk.end = Math.max(chunk.end, offset + length)
      chunk.used.set(offset, length)
      chunks.set(name, chunk)
    }
  const wasted = new Set<string>()
  for (const [name, { end, used }] of chunks) {
    let bytes = 0
    for (const length of used.values()) bytes += length
    if (bytes < end * LEAST_USED) wasted.add(name)
  }
  return wasted
}
