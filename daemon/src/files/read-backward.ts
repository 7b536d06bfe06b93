import { constants } from 'node:fs'
import { errnoOf } from './fs-failure.ts'
import { openRegularFile } from './regular-file.ts'

const CHUNK_BYTES = 64 * 1024
const LINE_FEED = 0x0a

/** The lines of a file of the daemon's own, last one first; reads no more than the caller consumes. */
export async function* linesBackward(path: string): AsyncGenerator<string> {
  const handle = await openRegularFile(path, constants.O_RDONLY).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return
  try {
    let { size: end } = await handle.stat()
    // The parts of a line that spans chunks, last part first.
    let parts: Buffer[] = []
    while (end > 0) {
      const start = Math.max(0, end - CHUNK_BYTES)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
      let chunk = buffer.subarray(0, bytesRead)
      for (let feed = chunk.lastIndexOf(LINE_FEED); feed !== -1; feed = chunk.lastIndexOf(LINE_FEED)) {
        parts.push(chunk.subarray(feed + 1))
        yield Buffer.concat(parts.toReversed()).toString()
        parts = []
        chunk = chunk.subarray(0, feed)
      }
      parts.push(chunk)
      end = start
    }
    yield Buffer.concat(parts.toReversed()).toString()
  } finally {
    await handle.close()
  }
}
