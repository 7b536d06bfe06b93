import type { OrderedPostings } from '../postings/note-postings.ts'
import { BlockWriter } from './block-writer.ts'
import { DictionaryWriter } from './dictionary-writer.ts'
import { MergedTerms } from './merged-terms.ts'
import { writePairs } from './pairs-writer.ts'
import { PostingsWriter } from './postings-writer.ts'
import { RECORD } from './segment-format.ts'
import { FILE_SECTIONS, type FinishedPart } from './segment-part.ts'
import { orderedStream, runStream } from './posting-runs.ts'

/** A part with those of its postings that are in memory. */
export type CollectedPart = { part: FinishedPart; rest: OrderedPostings }

/** Writes a segment of the parts of a vault in their order. The caller renames it into place. */
export function writeSegment(target: string, collected: readonly CollectedPart[]): void {
  const parts = collected.map(({ part }) => part)
  const streams = collected.map(({ part, rest }) => [...part.runs.map(runStream), orderedStream(rest)])
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
  const terms = new MergedTerms(parts)
  const words = new DictionaryWriter()
  for (let term = 0; term < terms.count; term++) words.add(terms.bytesOf(term), terms.sizesOf(term))
  writer.whole('dictionary', words.dictionary.bytes())
  writer.whole('groups', words.groups.bytes())
  const postings = new PostingsWriter(writer, { parts, terms, streams, lengths: words })
  for (let term = 0; term < terms.count; term++) postings.add(term)
  postings.end()
  writePairs(writer, parts)
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
