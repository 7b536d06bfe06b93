import { setImmediate } from 'node:timers/promises'
import { frameOf, jsonParts } from './log-frame.ts'
import type { MakeRecord } from './log-record.ts'

const PART_BYTES = 64 * 1024

/** Records as they are stored in the file. Others have their turn in between, because large texts take long. */
export async function* encodeInTurns(generation: number, records: readonly MakeRecord[]): AsyncGenerator<Buffer> {
  let ready: Buffer[] = []
  let bytes = 0
  /** The bytes that were encoded in this turn. */
  let encoded = 0
  for (const make of records) {
    const payload: Buffer[] = []
    for (const json of jsonParts(make())) {
      const part = Buffer.from(json)
      payload.push(part)
      encoded += part.length
      if (encoded < PART_BYTES) continue
      encoded = 0
      await setImmediate()
    }
    for (const part of frameOf(generation, payload)) {
      ready.push(part)
      bytes += part.length
    }
    if (bytes < PART_BYTES) continue
    yield Buffer.concat(ready)
    ready = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(ready)
}
