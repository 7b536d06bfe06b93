import type { RememberedFiles } from '../../watch/remembered.ts'
import { KIND, PROBLEMS, RECORD, SegmentUnusable } from './segment-format.ts'
import { openSegment, type Segment } from './segment.ts'

/** The files that a segment knows, as they were when it was built. */
export type FileTable = RememberedFiles

/** A table without files. */
export const NO_FILES: FileTable = tableOf({
  records: Buffer.alloc(0),
  paths: Buffer.alloc(0),
  titles: Buffer.alloc(0),
})

/** Reads the table of a segment into memory: about 80 bytes per file, in addition to its path and title. */
export async function readFileTable(segment: Pick<Segment, 'files' | 'section'>): Promise<FileTable> {
  const [records, paths, titles] = await Promise.all([
    segment.section('records'),
    segment.section('paths'),
    segment.section('titles'),
  ])
  if (records.length !== segment.files * RECORD.bytes) throw new SegmentUnusable('the records do not fit the files')
  return tableOf({ records, paths, titles })
}

function tableOf({ records, paths, titles }: { records: Buffer; paths: Buffer; titles: Buffer }): FileTable {
  const count = records.length / RECORD.bytes
  // The section begins at a block boundary, and a record contains whole numbers of both kinds.
  const doubles = new Float64Array(records.buffer, records.byteOffset, records.length / 8)
  const integers = new Uint32Array(records.buffer, records.byteOffset, records.length / 4)
  const double = (number: number, offset: number) => doubles[(number * RECORD.bytes + offset) / 8]!
  const field = (number: number, offset: number) => integers[(number * RECORD.bytes + offset) / 4]!
  const startOf = (number: number, offset: number) => (number === 0 ? 0 : field(number - 1, offset))
  const hex = (number: number, offset: number, length: number) => {
    const at = number * RECORD.bytes + offset
    return records.toString('hex', at, at + length)
  }

  function firstAtOrAfter(path: string): number {
    const wanted = Buffer.from(path)
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      const start = startOf(middle, RECORD.pathEnd)
      if (paths.compare(wanted, 0, wanted.length, start, field(middle, RECORD.pathEnd)) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
  const path = (number: number) =>
    paths.toString('utf8', startOf(number, RECORD.pathEnd), field(number, RECORD.pathEnd))

  return {
    count,
    firstAtOrAfter,
    path,
    numberOf(wanted) {
      const number = firstAtOrAfter(wanted)
      return number < count && path(number) === wanted ? number : -1
    },
    title: (number) => titles.toString('utf8', startOf(number, RECORD.titleEnd), field(number, RECORD.titleEnd)),
    stamp: (number) => ({
      size: double(number, RECORD.size),
      mtimeMs: double(number, RECORD.mtimeMs),
      ctimeMs: double(number, RECORD.ctimeMs),
      ino: double(number, RECORD.ino),
    }),
    size: (number) => double(number, RECORD.size),
    hasStamp: (number, stamp) =>
      double(number, RECORD.size) === stamp.size &&
      double(number, RECORD.mtimeMs) === stamp.mtimeMs &&
      double(number, RECORD.ctimeMs) === stamp.ctimeMs &&
      double(number, RECORD.ino) === stamp.ino,
    isNote: (number) => (field(number, RECORD.kind) & 0xff) === KIND.note,
    problem: (number) => PROBLEMS[field(number, RECORD.kind) >>> 8],
    baseline: (number) => hex(number, RECORD.baseline, RECORD.blob - RECORD.baseline),
    blob: (number) => hex(number, RECORD.blob, 20),
  }
}

/** Opens a segment and reads the files that it contains. Throws `SegmentUnusable`, like `openSegment`. */
export async function openWithFiles(path: string): Promise<{ segment: Segment; files: FileTable }> {
  const segment = await openSegment(path)
  try {
    return { segment, files: await readFileTable(segment) }
  } catch (error) {
    await segment.close()
    throw error
  }
}
