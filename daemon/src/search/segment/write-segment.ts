import { BlockWriter } from './block-writer.ts'
import { ByteList } from './byte-list.ts'
import { join, mergedTerms } from './merged-terms.ts'
import { GROUP, RECORD, SPAN, spansOf } from './segment-format.ts'
import { FILE_SECTIONS, type FinishedPart } from './segment-part.ts'
import { separate } from './separate-streams.ts'
import { SpanWriter } from '../spans/span-writer.ts'
import { runStreams, type TermStreams } from './term-streams.ts'

/** A part with the postings of it that are in memory, if there are any. */
export type CollectedPart = { part: FinishedPart; rest?: TermStreams }

/** Writes a segment, synced, of the parts of a vault in their order. The caller renames it into place. */
export function writeSegment(target: string, collected: readonly CollectedPart[]): void {
  const parts = collected.map(({ part }) => part)
  const streams = collected.map(({ part, rest }) => [...part.runs.map(runStreams), ...(rest ? [rest] : [])])
  const writer = new BlockWriter(target)
  moveOffsets(parts)
  for (const name of FILE_SECTIONS) {
    const section = writer.section(
      name,
      sum(parts, (part) => part.sections[name].length),
    )
    for (const part of parts) section.write(part.sections[name])
    section.end()
  }
  const { dictionary, groups, ...lengths } = dictionaryOf(parts)
  writer.whole('dictionary', dictionary)
  writer.whole('groups', groups)
  writePostings(writer, { parts, streams, lengths })
  writer.finish({
    files: sum(parts, ({ files }) => files),
    notes: sum(parts, ({ notes }) => notes),
    tokens: sum(parts, ({ tokens }) => tokens),
  })
  for (const each of streams.flat()) each.remove()
}

const sum = (parts: readonly FinishedPart[], of: (part: FinishedPart) => number): number =>
  parts.reduce((total, part) => total + of(part), 0)

/** Paths and titles of a part begin where those of the part before end. */
function moveOffsets(parts: readonly FinishedPart[]): void {
  let [path, title] = [0, 0]
  for (const { files, sections } of parts) {
    const { buffer, byteOffset } = sections.records
    for (let number = 0; path > 0 && number < files; number++) {
      const record = new DataView(buffer, byteOffset + number * RECORD.bytes, RECORD.bytes)
      record.setUint32(RECORD.pathEnd, record.getUint32(RECORD.pathEnd, true) + path, true)
      record.setUint32(RECORD.titleEnd, record.getUint32(RECORD.titleEnd, true) + title, true)
    }
    path += sections.paths.length
    title += sections.titles.length
  }
}

/** The dictionary, and how long all postings, positions and spans are. */
function dictionaryOf(parts: readonly FinishedPart[]) {
  const dictionary = new ByteList()
  const groups = new ByteList()
  let count = 0
  let postings = 0
  let positions = 0
  let spans = 0
  let before: Uint8Array = new Uint8Array(0)
  for (const term of mergedTerms(parts)) {
    const { bytes } = term
    if (count++ % GROUP === 0) {
      groups.float64(dictionary.length)
      groups.float64(postings)
      groups.float64(positions)
      groups.float64(spans)
      groups.varint(bytes.length)
      groups.append(bytes)
      before = new Uint8Array(0)
    }
    const shared = sharedStart(before, bytes)
    for (const number of [shared, bytes.length - shared]) dictionary.varint(number)
    dictionary.append(bytes.subarray(shared))
    for (const number of [term.notes, term.postings, term.positions]) dictionary.varint(number)
    postings += term.postings
    positions += term.positions
    spans += spansOf(term.notes) * SPAN.bytes
    before = bytes
  }
  return { dictionary: dictionary.bytes(), groups: groups.bytes(), postings, positions, spans }
}

type Postings = {
  parts: readonly FinishedPart[]
  streams: readonly (readonly TermStreams[])[]
  lengths: { postings: number; positions: number; spans: number }
}

function writePostings(writer: BlockWriter, { parts, streams, lengths }: Postings): void {
  const postings = writer.section('postings', lengths.postings)
  const positions = writer.section('positions', lengths.positions)
  const spans = new SpanWriter(writer.section('spans', lengths.spans), parts)
  let mixed = new Uint8Array(1 << 16)
  let split = { postings: new Uint8Array(1 << 16), positions: new Uint8Array(1 << 16) }
  // The first number of a part may get longer.
  const room = parts.length * 8
  for (const term of mergedTerms(parts)) {
    const length = term.postings + term.positions
    if (length + room > mixed.length) {
      mixed = new Uint8Array((length + room) * 2)
      split = { postings: new Uint8Array(mixed.length), positions: new Uint8Array(mixed.length) }
    }
    let at = 0
    for (const [number, its] of streams.entries()) {
      const index = term.index[number]!
      if (index === -1) continue
      let end = at
      for (const each of its) {
        each.copy(index, mixed, end)
        end += each.lengthOf(index)
      }
      at = join(parts, term, { number, bytes: mixed, start: at, end })
    }
    separate(mixed, length, split)
    postings.write(split.postings, term.postings)
    positions.write(split.positions, term.positions)
    if (spansOf(term.notes) > 0) spans.add(split.postings, term.notes)
  }
  postings.end()
  positions.end()
  spans.end()
}

function sharedStart(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
