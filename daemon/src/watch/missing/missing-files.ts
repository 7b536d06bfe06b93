import type { Manifest } from '../manifest.ts'
import type { Pause } from '../slices.ts'
import { eachOnce } from '../sweep.ts'
import type { Doubt } from './mass-disappearance.ts'

/** Decides which missing files are gone. */
export type MissingFiles = {
  /** The paths that have no known file yet, each once: a comparison may have seen a folder twice. */
  newAmong(paths: readonly string[], pause: Pause): Promise<string[]>
  /**
   * `arrived`: the new files, whose content is known now. A note whose content has just come at a new path was moved,
   * so it is gone without any doubt; each new note accounts for one missing note.
   */
  judge(seen: { gone: readonly string[]; arrived: readonly string[]; pause: Pause }): Promise<Judged>
}

/** `isHeld`: other files are missing, too, but are not taken for deleted yet. `isOdd`: so many are gone that it is odd. */
type Judged = { leaving: string[]; isHeld: boolean; isOdd: boolean }

type Options = { manifest: Pick<Manifest, 'count' | 'file' | 'hasFile'>; doubt: Doubt }

/** Judges the missing files of a vault, in one comparison after the other. */
export function createMissingFiles({ manifest, doubt }: Options): MissingFiles {
  // Missing since the doubt began. Their new paths may be seen later.
  let held = new Set<string>()

  const contentOf = (path: string) => {
    const facts = manifest.file(path)?.facts
    return facts?.kind === 'note' ? facts.blob : undefined
  }

  async function moved(arrived: readonly string[], pause: Pause): Promise<string[]> {
    if (held.size === 0) return []
    const contents = new Map<string, number>()
    for (const path of arrived) {
      const content = contentOf(path)
      if (content !== undefined) contents.set(content, (contents.get(content) ?? 0) + 1)
      await pause()
    }
    const paths: string[] = []
    for (const path of contents.size > 0 ? held : []) {
      const content = contentOf(path) ?? ''
      const left = contents.get(content) ?? 0
      if (left > 0) {
        contents.set(content, left - 1)
        paths.push(path)
      }
      await pause()
    }
    return paths
  }

  return {
    async newAmong(paths, pause) {
      const unknown = new Set<string>()
      for (const path of paths) {
        if (!manifest.hasFile(path)) unknown.add(path)
        await pause()
      }
      return [...unknown]
    },
    async judge({ gone, arrived, pause }) {
      const missing = await eachOnce(gone, pause)
      for (const path of missing) held.add(path)
      const leaving = await moved(arrived, pause)
      for (const path of leaving) {
        missing.delete(path)
        held.delete(path)
      }
      // The daemon itself may have removed files since the comparison found them missing.
      for (const path of missing) {
        if (!manifest.hasFile(path)) {
          missing.delete(path)
          held.delete(path)
        }
        await pause()
      }
      const known = manifest.count() - leaving.length
      const doubted = doubt.judge({ missing: missing.size, known })
      const isHeld = doubted === 'held'
      if (isHeld) return { leaving, isHeld, isOdd: true }
      held = new Set()
      const isOdd = doubted === 'many' || missing.size === known
      return { leaving: [...leaving, ...missing], isHeld, isOdd }
    },
  }
}
