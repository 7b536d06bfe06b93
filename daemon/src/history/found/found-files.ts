import type { Commit } from '../import-stream.ts'

/** Some of the notes that were last read, and notes that are gone, as one commit. */
export type FoundCommit = {
  paths: readonly string[]
  gone: readonly string[]
  message: string
  at: number
  isFirst: boolean
}

/** `taken` notes from the beginning of the list were read or tried, `bytes` in all; those in `missing` cannot be read. */
export type ReadNotes = { taken: number; missing: string[]; bytes: number }

/** Reads the content of notes and passes it to git, in this process or in another one. */
export type FoundNotes = {
  /** Reads notes in their order, as many as may be in memory at once. */
  read(paths: readonly string[]): Promise<ReadNotes>
  write(commit: FoundCommit): Promise<void>
  /** Stops the work; resolves when nothing runs any more. */
  close(): Promise<void>
}

/** The bytes of notes in memory at which reading stops; the last note may exceed them. */
export const BYTES_AT_ONCE = 8 * 1024 * 1024

/**
 * The files of a commit. Deletions come first: otherwise git would delete a folder that has taken the place of a
 * deleted note, with the notes in it.
 */
export function foundFiles(
  { paths, gone }: Pick<FoundCommit, 'paths' | 'gone'>,
  contents: ReadonlyMap<string, Buffer>,
): Commit['files'] {
  const files: Commit['files'] = gone.map((path) => ({ path, bytes: undefined }))
  for (const path of paths) {
    const bytes = contents.get(path)
    if (bytes) files.push({ path, bytes })
  }
  return files
}
