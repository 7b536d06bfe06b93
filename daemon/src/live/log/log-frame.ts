import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { LogRecord } from './log-record.ts'

// generation, length, CRC-32 of generation, length and payload
const HEADER = 12

// A text of nothing but line ends, of this length, takes a millisecond.
const PART = 64 * 1024

/** A record as JSON, in parts: a long text takes too long in one turn. */
export function* jsonParts(record: LogRecord): Generator<string> {
  if (!('text' in record)) return yield JSON.stringify(record)
  const long: string[] = []
  const mark = randomUUID()
  const withMarks = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > PART ? (long.push(value), mark) : value
  const [start, ...rest] = JSON.stringify(record, withMarks).split(mark)
  yield start!
  for (const [nth, next] of rest.entries()) {
    const text = long[nth]!
    for (let at = 0; at < text.length; at += PART) yield JSON.stringify(text.slice(at, at + PART)).slice(1, -1)
    yield next
  }
}

/** One record as it is stored in the file. */
export function frameOf(generation: number, payload: readonly Buffer[]): Buffer[] {
  const header = Buffer.allocUnsafe(HEADER)
  header.writeUInt32LE(generation, 0)
  header.writeUInt32LE(
    payload.reduce((sum, part) => sum + part.length, 0),
    4,
  )
  header.writeUInt32LE(
    payload.reduce((sum, part) => crc32(part, sum), crc32(header.subarray(0, 8))),
    8,
  )
  return [header, ...payload]
}

/** The generation of a file: that of its first record. */
export const generationOf = (bytes: Buffer): number => (bytes.length >= HEADER ? bytes.readUInt32LE(0) : 0)

/** The records of a file up to the first that a crash cut. */
export function* decodeFrames(bytes: Buffer): Generator<LogRecord> {
  const generation = generationOf(bytes)
  let at = 0
  while (at + HEADER <= bytes.length) {
    const end = at + HEADER + bytes.readUInt32LE(at + 4)
    if (end > bytes.length || bytes.readUInt32LE(at) !== generation) return
    const frame = bytes.subarray(at, end)
    if (frame.readUInt32LE(8) !== checksum(frame)) return
    const record = parse(frame.subarray(HEADER))
    if (record === undefined) return
    yield record
    at = end
  }
}

function parse(payload: Buffer): LogRecord | undefined {
  try {
    return LogRecord.safeParse(JSON.parse(payload.toString('utf8'))).data
  } catch {
    return undefined
  }
}

const checksum = (frame: Buffer): number => crc32(frame.subarray(HEADER), crc32(frame.subarray(0, 8)))
