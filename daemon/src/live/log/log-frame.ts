import { crc32 } from 'node:zlib'
import { LogRecord } from './log-record.ts'

// generation, length, CRC-32 of generation, length and payload
const HEADER = 12

/** One record as it is stored in the file. */
export function encodeFrame(generation: number, record: LogRecord): Buffer {
  const payload = JSON.stringify(record)
  const length = Buffer.byteLength(payload)
  const frame = Buffer.allocUnsafe(HEADER + length)
  frame.writeUInt32LE(generation, 0)
  frame.writeUInt32LE(length, 4)
  frame.write(payload, HEADER)
  frame.writeUInt32LE(checksum(frame), 8)
  return frame
}

/** The records of a file up to the first that a crash cut, and the generation of the file. */
export function decodeFrames(bytes: Buffer): { generation: number; records: LogRecord[]; length: number } {
  const records: LogRecord[] = []
  const generation = bytes.length >= HEADER ? bytes.readUInt32LE(0) : 0
  let at = 0
  while (at + HEADER <= bytes.length) {
    const end = at + HEADER + bytes.readUInt32LE(at + 4)
    if (end > bytes.length || bytes.readUInt32LE(at) !== generation) break
    const frame = bytes.subarray(at, end)
    if (frame.readUInt32LE(8) !== checksum(frame)) break
    const record = parse(frame.subarray(HEADER))
    if (record === undefined) break
    records.push(record)
    at = end
  }
  return { generation, records, length: at }
}

function parse(payload: Buffer): LogRecord | undefined {
  try {
    return LogRecord.safeParse(JSON.parse(payload.toString('utf8'))).data
  } catch {
    return undefined
  }
}

const checksum = (frame: Buffer): number => crc32(frame.subarray(HEADER), crc32(frame.subarray(0, 8)))
