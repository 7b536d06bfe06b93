// Loaded into a program with `--import`. Reports every long turn of the event loop to the parent process, in CPU time
// of the main thread.
const TOLD_MS = 10

/** The message about a long turn. */
export type LongTurn = { type: 'long-turn'; cpuMs: number }

let before = process.threadCpuUsage()

function turn(): void {
  const { user, system } = process.threadCpuUsage(before)
  const cpuMs = (user + system) / 1000
  if (cpuMs > TOLD_MS) process.send?.({ type: 'long-turn', cpuMs } satisfies LongTurn)
  before = process.threadCpuUsage()
  setImmediate(turn).unref()
}

setImmediate(turn).unref()
