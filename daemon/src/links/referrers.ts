import { withoutEndSlashes } from '@svc/shared/kit/end-slashes.ts'
import { hashOf } from '../markdown/note-places.ts'
import { nameKey } from './file-names.ts'
import { linksIn } from './note-record.ts'
import type { NoteRecordTable } from './note-record-table.ts'

const BUCKETS = 1 << 16

/**
 * Notes that may link to a file: those with a link to its name. A bucket of names also contains a few others, so every
 * candidate must be resolved. Four bytes per link.
 */
export type Referrers = { mayLinkTo(path: string): Iterable<number> }

/**
 * Counts the links of all notes and then stores them by bucket, pausing between links. Notes in `apart` change
 * meanwhile or have changed since; they are left out, and are candidates for every file.
 */
export async function buildReferrers({
  records,
  apart,
  pause,
}: {
  records: NoteRecordTable
  apart: ReadonlySet<number>
  pause(): Promise<void> | undefined
}): Promise<Referrers> {
  const count = records.count
  const ends = new Uint32Array(BUCKETS)
  const links = new Set<number>()
  const bucketsOf = async (number: number) => {
    links.clear()
    const record = apart.has(number) ? undefined : records.record(number)
    for (const { target } of record ? linksIn(record) : []) {
      if (target !== '') links.add(bucketOf(target))
      await pause()
    }
    return links
  }

  for (let number = 0; number < count; number++) {
    for (const bucket of await bucketsOf(number)) ends[bucket]!++
    await pause()
  }
  let total = 0
  for (let bucket = 0; bucket < BUCKETS; bucket++) total = ends[bucket] = ends[bucket]! + total
  const starts = ends.slice()
  const notes = new Uint32Array(total)
  for (let number = count - 1; number >= 0; number--) {
    for (const bucket of await bucketsOf(number)) notes[--starts[bucket]!] = number
    await pause()
  }

  return {
    *mayLinkTo(path) {
      const bucket = bucketOf(path)
      for (let index = starts[bucket]!; index < ends[bucket]!; index++)
        if (!apart.has(notes[index]!)) yield notes[index]!
      yield* apart
    },
  }
}

/** What a link has in common with its target: the last name, without the endings that links may omit. */
function bucketOf(target: string): number {
  let name = nameKey(withoutEndSlashes(target))
  while (name.endsWith('.md') || name.endsWith('.markdown')) name = name.slice(0, name.lastIndexOf('.'))
  return hashOf(name) % BUCKETS
}
