import { closeSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { createFileSync } from '../../files/open-sync.ts'
import { headerChecksum } from './block-file.ts'
import { copyBytes } from './copy-bytes.ts'
import {
  BLOCK,
  FORMAT_VERSION,
  HEADER,
  HEADER_BYTES,
  MAGIC,
  SECTIONS,
  type Section,
  type SectionName,
} from './segment-format.ts'

const BUFFERED = BLOCK * 32

/** Appends bytes to one section. */
export type SectionWriter = { write(bytes: Uint8Array, length?: number): void; end(): void }

/**
 * Writes a segment file. The lengths of sections are known beforehand, so that several can be written side by side.
 * Everything is synchronous: only the building process uses it.
 */
export class BlockWriter {
  readonly #fd: number
  readonly #checksums: number[] = []
  readonly #sections = new Map<SectionName, Section>()
  #end = BLOCK

  constructor(path: string) {
    this.#fd = createFileSync(path)
  }

  /** Reserves room for a section and returns its writer. */
  section(name: SectionName, length: number): SectionWriter {
    const section = { offset: this.#end, length }
    this.#sections.set(name, section)
    this.#end += Math.ceil(length / BLOCK) * BLOCK

    const buffer = Buffer.alloc(BUFFERED)
    let position = section.offset
    let filled = 0
    const flush = (bytes: number) => {
      for (let start = 0; start < bytes; start += BLOCK)
        this.#checksums[(position + start) / BLOCK] = crc32(buffer.subarray(start, start + BLOCK))
      writeWhole(this.#fd, buffer.subarray(0, bytes), position)
      position += bytes
      filled = 0
    }
    return {
      write(bytes, count = bytes.length) {
        for (let from = 0; from < count;) {
          const part = Math.min(count - from, BUFFERED - filled)
          copyBytes({ bytes, start: from, count: part }, buffer, filled)
          filled += part
          from += part
          if (filled === BUFFERED) flush(BUFFERED)
        }
      },
      end() {
        if (position + filled !== section.offset + length) throw new Error(`the ${name} are not as long as announced`)
        const bytes = Math.ceil(filled / BLOCK) * BLOCK
        buffer.fill(0, filled, bytes)
        if (bytes > 0) flush(bytes)
      },
    }
  }

  /** Writes a whole section at once. */
  whole(name: SectionName, bytes: Uint8Array): void {
    const writer = this.section(name, bytes.length)
    writer.write(bytes)
    writer.end()
  }

  /**
   * Writes checksums and header and closes the file. It is not synced: its checksums show what a power cut has lost.
   */
  finish({ files, notes, tokens }: { files: number; notes: number; tokens: number }): void {
    const header = Buffer.alloc(BLOCK)
    header.writeUInt32LE(MAGIC, HEADER.magic)
    header.writeUInt32LE(FORMAT_VERSION, HEADER.version)
    header.writeUInt32LE(files, HEADER.files)
    header.writeUInt32LE(notes, HEADER.notes)
    header.writeDoubleLE(tokens, HEADER.tokens)
    header.writeDoubleLE(this.#end, HEADER.crcTable)
    for (const [index, name] of SECTIONS.entries()) {
      const { offset, length } = this.#sections.get(name)!
      header.writeDoubleLE(offset, HEADER.table + index * 16)
      header.writeDoubleLE(length, HEADER.table + index * 16 + 8)
    }
    header.writeUInt32LE(headerChecksum(header.subarray(0, HEADER_BYTES)), HEADER.crc)
    this.#checksums[0] = crc32(header)

    const blocks = this.#end / BLOCK
    const table = Buffer.alloc((blocks + 1) * 4)
    for (let block = 0; block < blocks; block++) table.writeUInt32LE(this.#checksums[block]!, block * 4)
    table.writeUInt32LE(crc32(table.subarray(0, blocks * 4)), blocks * 4)
    writeWhole(this.#fd, table, this.#end)
    writeWhole(this.#fd, header, 0)
    closeSync(this.#fd)
  }
}

function writeWhole(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, position + done)
}
