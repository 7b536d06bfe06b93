import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { openRegularFile } from '../../files/regular-file.ts'
import { WorkMemory } from '../work-memory.ts'
import {
  BLOCK,
  FORMAT_VERSION,
  HEADER,
  HEADER_BYTES,
  MAGIC,
  SECTIONS,
  SegmentUnusable,
  type Section,
  type SectionName,
} from './segment-format.ts'

/** An open segment file. Only the header and the checksums are in memory; everything else is read on demand. */
export type BlockFile = {
  files: number
  notes: number
  tokens: number
  sections: Record<SectionName, Section>
  /**
   * Reads bytes of a section, into the memory of a search if it is given; fails with `SegmentUnusable` for a block with
   * a wrong checksum. A block is checked when it is read for the first time.
   */
  read(name: SectionName, offset: number, length: number, memory?: WorkMemory): Promise<Buffer>
  close(): Promise<void>
}

/** Opens a segment; throws `SegmentUnusable` unless it is whole and of this version. */
export async function openBlockFile(path: string): Promise<BlockFile> {
  const handle = await openRegularFile(path, constants.O_RDONLY)
  try {
    const header = await readExactly(handle, 0, HEADER_BYTES)
    checkHeader(header)
    const sections = readSections(header)
    const tableOffset = header.readDoubleLE(HEADER.crcTable)
    const { size } = await handle.stat()
    const blocks = tableOffset / BLOCK
    if (size !== tableOffset + (blocks + 1) * 4) throw new SegmentUnusable('the file is cut short')
    const table = await readExactly(handle, tableOffset, (blocks + 1) * 4)
    if (crc32(table.subarray(0, blocks * 4)) !== table.readUInt32LE(blocks * 4))
      throw new SegmentUnusable('the checksums are damaged')
    // 1 for a block that was checked. The words that many searches contain have thousands of blocks.
    const checked = new Uint8Array(blocks)

    return {
      files: header.readUInt32LE(HEADER.files),
      notes: header.readUInt32LE(HEADER.notes),
      tokens: header.readDoubleLE(HEADER.tokens),
      sections,
      async read(name, offset, length, memory = new WorkMemory()) {
        const section = sections[name]
        if (offset < 0 || length < 0 || offset + length > section.length)
          throw new SegmentUnusable(`a place outside the ${name}`)
        if (length === 0) return Buffer.alloc(0)
        const from = section.offset + offset
        const firstBlock = Math.floor(from / BLOCK)
        const endBlock = Math.ceil((from + length) / BLOCK)
        const bytes = memory.bytes((endBlock - firstBlock) * BLOCK)
        await fill(bytes, handle, firstBlock * BLOCK)
        for (let block = firstBlock; block < endBlock; block++) {
          if (checked[block] === 1) continue
          const start = (block - firstBlock) * BLOCK
          if (crc32(bytes.subarray(start, start + BLOCK)) !== table.readUInt32LE(block * 4))
            throw new SegmentUnusable(`block ${block} is damaged`)
          checked[block] = 1
        }
        const start = from - firstBlock * BLOCK
        return bytes.subarray(start, start + length)
      },
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function checkHeader(header: Buffer): void {
  if (header.readUInt32LE(HEADER.magic) !== MAGIC) throw new SegmentUnusable('not a segment')
  if (header.readUInt32LE(HEADER.version) !== FORMAT_VERSION) throw new SegmentUnusable('another version of the format')
  if (headerChecksum(header) !== header.readUInt32LE(HEADER.crc)) throw new SegmentUnusable('the header is damaged')
}

/** The checksum of a header, which covers everything but itself. */
export const headerChecksum = (header: Buffer): number =>
  crc32(header.subarray(HEADER.files, HEADER_BYTES), crc32(header.subarray(0, HEADER.crc)))

function readSections(header: Buffer): Record<SectionName, Section> {
  const entries = SECTIONS.map((name, index) => {
    const at = HEADER.table + index * 16
    return [name, { offset: header.readDoubleLE(at), length: header.readDoubleLE(at + 8) }] as const
  })
  return Object.fromEntries(entries) as Record<SectionName, Section>
}

async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  await fill(bytes, handle, position)
  return bytes
}

async function fill(bytes: Buffer, handle: FileHandle, position: number): Promise<void> {
  let read = 0
  while (read < bytes.length) {
    const { bytesRead } = await handle.read(bytes, read, bytes.length - read, position + read)
    if (bytesRead === 0) throw new SegmentUnusable('the file is cut short')
    read += bytesRead
  }
}
