import { writeSync } from 'node:fs'

const FULL_PIPE_MS = 10

/**
 * Writes lines to an open file, pipe or terminal, each before `write` returns. What cannot be written is lost: a full
 * disk or a reader that has left must neither end the process nor keep it from ending.
 */
export function lineOutput(fd: number): { write(line: string): void } {
  let isCut = false
  return {
    write(line) {
      let rest = Buffer.from(isCut ? `\n${line}` : line)
      try {
        while (rest.length > 0) {
          const written = writeUnlessFull(fd, rest)
          isCut ||= written > 0
          rest = rest.subarray(written)
        }
        isCut = false
      } catch {
        // The next line is tried again. If a part of this one was written, it starts on a line of its own.
      }
    },
  }
}

/** Writes a part of the bytes and returns their number. Waits a little and returns 0 when the pipe is full. */
function writeUnlessFull(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS)
    return 0
  }
}
