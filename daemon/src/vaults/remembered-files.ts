import { setImmediate } from 'node:timers/promises'
import { sameStamp, type FileStamp } from '../files/open-file.ts'
import type { FileFacts } from '../markdown/note-facts.ts'
import type { Manifest } from '../watch/manifest.ts'

/** Files as they were when they were last read, by number. */
export type RememberedFiles = {
  count: number
  path(number: number): string
  stamp(number: number): FileStamp
  isNote(number: number): boolean
  title(number: number): string
  baseline(number: number): string
  blob(number: number): string
}

/** What remembers the files of a vault over a restart, so that opening it compares stamps instead of reading notes. */
export type FileMemory = {
  /** The files that an earlier run has read; none when it left nothing that can be used. */
  open(): Promise<RememberedFiles>
  /** Reads all files of the vault anew, beside the daemon. */
  rebuild(): Promise<RememberedFiles>
  /** Tells that a remembered file is gone. */
  remove(path: string): void
  /** Gives up a rebuild that is under way. */
  stop(): void
}

// Files between two pauses: a few milliseconds.
const STRIDE = 1000

/** Takes over what is remembered of files that have not changed since. Answers the paths of those that must be read. */
export async function recallFiles({
  files,
  manifest,
  memory,
}: {
  files: RememberedFiles
  manifest: Manifest
  memory: FileMemory
}): Promise<string[]> {
  for (let number = 0; number < files.count; number++) {
    const path = files.path(number)
    const file = manifest.file(path)
    if (!file) memory.remove(path)
    else if (!file.facts && sameStamp(file.stamp, files.stamp(number)))
      manifest.putFile({ ...file, facts: factsOf(files, number) })
    if (number % STRIDE === 0) await setImmediate()
  }
  const unread = manifest.files().filter(({ facts }) => facts === undefined)
  return unread.map(({ path }) => path)
}

function factsOf(files: RememberedFiles, number: number): FileFacts {
  if (!files.isNote(number)) return { kind: 'attachment' }
  return { kind: 'note', baseline: files.baseline(number), blob: files.blob(number), title: files.title(number) }
}
