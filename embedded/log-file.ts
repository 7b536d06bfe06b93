import { closeSync, existsSync, fstatSync, openSync, renameSync } from 'node:fs'
import { lineOutput } from '@svc/shared/kit/line-output.ts'

type Options = { file: string; earlier: string; maxBytes: number }

/**
 * Appends lines to a file. Above `maxBytes`, the file becomes the earlier one, in place of the one before, and a new one
 * begins. No other process may write it. What cannot be written is lost.
 */
export function openLogFile({ file, earlier, maxBytes }: Options): { write(line: string): void; close(): void } {
  let fd = openSync(file, 'a', 0o600)
  let output = lineOutput(fd)
  let size = fstatSync(fd).size
  let isOpen = true

  const beginAnew = () => {
    size = 0 // if this fails, it is tried again after as many bytes
    try {
      // It is not there when a try before has renamed it, but could open no new one, or when somebody has removed it.
      if (existsSync(file)) renameSync(file, earlier)
      const next = openSync(file, 'a', 0o600)
      closeSync(fd)
      fd = next
      output = lineOutput(fd)
    } catch {
      // The open file is still written, whatever its name.
    }
  }
  return {
    write: (line) => {
      if (!isOpen) return
      if (size >= maxBytes) beginAnew()
      output.write(line)
      size += Buffer.byteLength(line)
    },
    close: () => {
      isOpen = false // the number of a closed file may be given to another one
      closeSync(fd)
    },
  }
}
