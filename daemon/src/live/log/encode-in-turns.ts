import { setImmediate } from 'node:timers/promises'
import { encodeFrame } from './log-frame.ts'
import type { MakeRecord } from './log-record.ts'

const PART_BYTES = 64 * 1024

/** Records as they are stored in the file. Others have their turn in between, because large texts take long. */
export async function* encodeInTurns(generation: number, records: readonly MakeRecord[]): AsyncGenerator<Buffer> {
  let frames: Buffer[] = []
  let bytes = 0
  for (const make of records) {
    const frame = encodeFrame(generation, make())
    frames.push(frame)
    bytes += frame.length
    if (bytes < PART_BYTES) continue
    yield Buffer.concat(frames)
    frames = []
    bytes = 0
    await setImmediate()
  }
  if (bytes > 0) yield Buffer.concat(frames)
}
