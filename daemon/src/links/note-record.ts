import type { KeptLink, LinkFacts } from '../markdown/link-facts.ts'
import type { NotePlaces } from '../markdown/note-places.ts'
import { ByteList } from '../search/segment/byte-list.ts'
import { VarintReader } from '../search/segment/varint.ts'

/** What the index keeps of a note, before it is packed into bytes. */
export type NoteRecord = LinkFacts & { tags: readonly string[]; properties: readonly string[] }

const KINDS = ['wiki', 'markdown', 'reference'] as const
const EMBED = 4
const IN_PROPERTY = 8
const HAS_FRAGMENT = 16
const COMPLETE = 1

// A note with more names of properties than this is not written by a person.
const MAX_PROPERTIES = 1000

/** Packs a record into bytes: links, places, tags, names of properties. */
export function packRecord({ links, places, tags, properties }: NoteRecord): Uint8Array {
  const bytes = new ByteList()
  bytes.varint(links.length)
  for (const { kind, embed, inProperty, line, target, fragment } of links) {
    const marks = (embed ? EMBED : 0) | (inProperty ? IN_PROPERTY : 0) | (fragment === undefined ? 0 : HAS_FRAGMENT)
    bytes.varint(KINDS.indexOf(kind) | marks)
    bytes.varint(line)
    addText(bytes, target)
    if (fragment !== undefined) addText(bytes, fragment)
  }
  bytes.varint(places.isComplete ? COMPLETE : 0)
  for (const hashes of [places.headings, places.blocks]) {
    bytes.varint(hashes.length)
    for (const hash of hashes) bytes.uint32(hash)
  }
  for (const names of [tags, properties.slice(0, MAX_PROPERTIES)]) {
    bytes.varint(names.length)
    for (const name of names) addText(bytes, name)
  }
  return bytes.bytes().slice()
}

/** The links of a packed record. */
export function* linksIn(record: Uint8Array): Generator<KeptLink> {
  const reader = new VarintReader(record, 0)
  for (let left = reader.next(); left > 0; left--) yield readLink(reader)
}

/** The places of a packed record. */
export function placesIn(record: Uint8Array): NotePlaces {
  const reader = behindLinks(record)
  const isComplete = reader.next() === COMPLETE
  return { isComplete, headings: readHashes(reader), blocks: readHashes(reader) }
}

/** The tags and the names of properties of a packed record. */
export function namesIn(record: Uint8Array): { tags: string[]; properties: string[] } {
  const reader = behindLinks(record)
  reader.next()
  for (let list = 0; list < 2; list++) {
    const count = reader.next()
    reader.at += count * 4
  }
  return { tags: readTexts(reader), properties: readTexts(reader) }
}

function behindLinks(record: Uint8Array): VarintReader {
  const reader = new VarintReader(record, 0)
  for (let left = reader.next(); left > 0; left--) {
    const marks = reader.next()
    reader.next()
    reader.skip()
    if (marks & HAS_FRAGMENT) reader.skip()
  }
  return reader
}

function readLink(reader: VarintReader): KeptLink {
  const marks = reader.next()
  const line = reader.next()
  const target = readText(reader)
  const fragment = marks & HAS_FRAGMENT ? readText(reader) : undefined
  const [embed, inProperty] = [(marks & EMBED) !== 0, (marks & IN_PROPERTY) !== 0]
  return { kind: KINDS[marks & 3]!, embed, inProperty, line, target, fragment }
}

function readHashes(reader: VarintReader): number[] {
  const count = reader.next()
  const view = new DataView(reader.bytes.buffer, reader.bytes.byteOffset + reader.at, count * 4)
  reader.at += count * 4
  return Array.from({ length: count }, (_, index) => view.getUint32(index * 4, true))
}

function readTexts(reader: VarintReader): string[] {
  const count = reader.next()
  return Array.from({ length: count }, () => readText(reader))
}

function addText(bytes: ByteList, text: string): void {
  const encoded = Buffer.from(text)
  bytes.varint(encoded.length)
  bytes.append(encoded)
}

function readText(reader: VarintReader): string {
  const length = reader.next()
  const { buffer, byteOffset } = reader.bytes
  const text = Buffer.from(buffer, byteOffset + reader.at, length).toString()
  reader.at += length
  return text
}
