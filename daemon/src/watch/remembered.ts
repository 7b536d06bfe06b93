import type { FileStamp } from '../files/file-stamp.ts'
import type { FileFacts, NoteFacts } from '../markdown/note-facts.ts'

/** A file as last seen. Without facts, its content has not been read yet. */
export type KnownFile = { path: string; stamp: FileStamp; facts: FileFacts | undefined }

/** Files as they were when they were last read, by number, in byte order of their paths. */
export type RememberedFiles = {
  count: number
  /** The number of the file with exactly this path, or -1. */
  numberOf(path: string): number
  /** The number of the first file at or after a path, in byte order. */
  firstAtOrAfter(path: string): number
  path(number: number): string
  stamp(number: number): FileStamp
  size(number: number): number
  hasStamp(number: number, stamp: FileStamp): boolean
  isNote(number: number): boolean
  title(number: number): string
  baseline(number: number): string
  blob(number: number): string
  problem(number: number): NoteFacts['problem']
}

/** No files. */
export const nothingRemembered: RememberedFiles = {
  count: 0,
  numberOf: () => -1,
  firstAtOrAfter: () => 0,
  path: outOfRange,
  stamp: outOfRange,
  size: outOfRange,
  hasStamp: outOfRange,
  isNote: outOfRange,
  title: outOfRange,
  baseline: outOfRange,
  blob: outOfRange,
  problem: outOfRange,
}

function outOfRange(number: number): never {
  throw new RangeError(`there is no file ${number}`)
}

/** What is known of files: by number those that are as remembered, and all others apart. */
export type Known = { files: RememberedFiles; isThere: Uint8Array; apart: readonly KnownFile[] }

/** A file as it is remembered. */
export const fileOf = (files: RememberedFiles, number: number): KnownFile => ({
  path: files.path(number),
  stamp: files.stamp(number),
  facts: factsOf(files, number),
})

/** Each known file. */
export function* filesOf({ files, isThere, apart }: Known): Generator<KnownFile> {
  for (let number = 0; number < isThere.length; number++) if (isThere[number] === 1) yield fileOf(files, number)
  yield* apart
}

/** The path of each known file. Reads nothing else: the facts of a remembered file consist of several texts. */
export function* pathsOf({ files, isThere, apart }: Known): Generator<string> {
  for (let number = 0; number < isThere.length; number++) if (isThere[number] === 1) yield files.path(number)
  for (const { path } of apart) yield path
}

/** The paths of files that are remembered, but not there as they are remembered. */
export function* missingIn(files: RememberedFiles, isThere: Uint8Array): Generator<string> {
  for (let number = 0; number < isThere.length; number++) if (isThere[number] !== 1) yield files.path(number)
}

/** The paths of the notes among files, as of the first step. */
export function* notesOf(files: ReadonlyMap<string, KnownFile>): Generator<string> {
  for (const { path, facts } of Array.from(files.values())) if (facts?.kind === 'note') yield path
}

/** The size of each known file. Reads nothing else of a remembered file, because its facts consist of several texts. */
export function* sizesOf({ files, isThere, apart }: Known): Generator<{ size: number; isAttachment: boolean }> {
  for (let number = 0; number < isThere.length; number++)
    if (isThere[number] === 1) yield { size: files.size(number), isAttachment: !files.isNote(number) }
  for (const { stamp, facts } of apart) yield { size: stamp.size, isAttachment: facts?.kind === 'attachment' }
}

/** What is remembered of the content of a file. */
export function factsOf(files: RememberedFiles, number: number): FileFacts {
  if (!files.isNote(number)) return { kind: 'attachment' }
  const problem = files.problem(number)
  return {
    kind: 'note',
    baseline: files.baseline(number),
    blob: files.blob(number),
    title: files.title(number),
    ...(problem && { problem }),
  }
}

/** Finds the numbers of paths that come mostly in order: tries the number after the last one first. */
export function numbersInOrder(files: RememberedFiles): (path: string) => number {
  let next = 0
  return (path) => {
    const number = next < files.count && files.path(next) === path ? next : files.numberOf(path)
    if (number !== -1) next = number + 1
    return number
  }
}
