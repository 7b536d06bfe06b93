import { closeSync, constants, fsyncSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { createFileSync } from '../files/open-sync.ts'
import { openRegularFile } from '../files/regular-file.ts'
import { ByteList } from '../search/segment/byte-list.ts'
import { VarintReader } from '../search/segment/varint.ts'

/**
 * The records of a whole vault in one file: magic, version, number of records, CRC-32 of the rest; then for each note
 * its path, the 12 bytes of its baseline and its record. The file never changes once it has its name.
 */
const MAGIC = 0x4b4c5653
const VERSION = 1
const HEADER_BYTES = 16
const BASELINE_BYTES = 12
const SLICE = 1 << 20

/** One note of the file; its record is at these offsets of the block. */
export type FiledRecord = { path: string; baseline: string; start: number; end: number }

/** The file cannot be used: damaged, truncated or of another version. It is rebuilt. */
class LinksFileUnusable extends Error {}

/** Collects the records of a vault and writes their file. */
export class LinksFileWriter {
  readonly #body = new ByteList()
  #count = 0

  add({ path, baseline, record }: { path: string; baseline: string; record: Uint8Array }): void {
    const name = Buffer.from(path)
    this.#body.varint(name.length)
    this.#body.append(name)
    this.#body.append(Buffer.from(baseline, 'hex'))
    this.#body.varint(record.length)
    this.#body.append(record)
    this.#count++
  }

  write(target: string): void {
    const body = this.#body.bytes()
    const header = Buffer.alloc(HEADER_BYTES)
    for (const [index, field] of [MAGIC, VERSION, this.#count, crc32(body)].entries())
      header.writeUInt32LE(field, index * 4)
    const fd = createFileSync(target)
    try {
      for (const bytes of [header, body])
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  }
}

/** Reads the block of records of a whole file, yielding to other work while it is checked. */
export async function readLinksFile(path: string): Promise<Buffer> {
  const handle = await openRegularFile(path, constants.O_RDONLY)
  let bytes: Buffer
  try {
    bytes = await handle.readFile()
  } finally {
    await handle.close()
  }
  if (bytes.length < HEADER_BYTES) throw new LinksFileUnusable('the file is cut short')
  const [magic, version, checksum] = [0, 4, 12].map((offset) => bytes.readUInt32LE(offset))
  if (magic !== MAGIC || version !== VERSION) throw new LinksFileUnusable('the file is of another version')
  const block = bytes.subarray(HEADER_BYTES)
  let sum = 0
  for (let at = 0; at < block.length; at += SLICE) {
    sum = crc32(block.subarray(at, at + SLICE), sum)
    await setImmediate()
  }
  if (sum !== checksum) throw new LinksFileUnusable('the file is damaged')
  return block
}

/** The notes of a block that has passed its checksum. */
export function* recordsIn(block: Buffer): Generator<FiledRecord> {
  const reader = new VarintReader(block, 0)
  while (reader.at < block.length) {
    const length = reader.next()
    const path = block.toString('utf8', reader.at, reader.at + length)
    reader.at += length
    const baseline = block.toString('hex', reader.at, reader.at + BASELINE_BYTES)
    reader.at += BASELINE_BYTES
    const size = reader.next()
    yield { path, baseline, start: reader.at, end: reader.at + size }
    reader.at += size
  }
}
