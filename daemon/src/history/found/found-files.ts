import type { Commit } from '../import-stream.ts'

/** Some of the notes that were read last, and notes that are gone, as one commit. */
export type FoundCommit = {
  paths: readonly string[]
  gone: readonly string[]
  message: string
  at: number
  isFirst: boolean
}

/** So many notes from the beginning were read, or tried: those in `missing` cannot be read. */
export type ReadNotes = { taken: number; missing: string[] }

/** Reads the content of notes and passes it to git, in this process or beside it. */
export type FoundNotes = {
  /** Reads notes in their order, as many as may be in memory at once. */
  read(paths: readonly string[]): Promise<ReadNotes>
  write(commit: FoundCommit): Promise<void>
  /** Resolves when nothing of it is at work any more. */
  close(): Promise<void>
}

/** Notes whose content is in memory at once: as many bytes, whatever the last one has. */
export const BYTES_AT_ONCE = 8 * 1024 * 1024

/**
 * The files of a commit. What is gone comes first: git would else delete a folder that has taken the place of a note, with the
 * notes in it.
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
