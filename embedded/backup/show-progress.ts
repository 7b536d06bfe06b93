import { shownBytes } from '../installation/folder-size.ts'

const LINE_MS = 5_000
const TERMINAL_MS = 250

/** Shows the progress of long work: one line that changes on a terminal, otherwise a line every few seconds. */
export function showProgress(what: string) {
  const terminal = process.stderr.isTTY
  let shownAt = performance.now()
  let open = false

  const end = () => {
    if (open) process.stderr.write('\n')
    open = false
  }
  return {
    show({ files, bytes }: { files: number; bytes: number }): void {
      const now = performance.now()
      if (now - shownAt < (terminal ? TERMINAL_MS : LINE_MS)) return
      shownAt = now
      const line = `  ${what}: ${files} files, ${shownBytes(bytes)}`
      process.stderr.write(terminal ? `\r${line}\u001b[K` : `${line}\n`)
      open = terminal
    },
    say(line: string): void {
      end()
      process.stderr.write(`  ${line}\n`)
    },
    end,
  }
}
