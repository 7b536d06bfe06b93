import { cpuMsPerCall } from './cpu-time.ts'

// The CPU time of `work` on the machine of docs/BENCHMARKS.md when that machine is idle.
const REFERENCE_MS = 5
const WORDS = 20_000

/**
 * How many times slower this thread is now than the machine for which limits of CPU time are stated; at least 1. A slow
 * machine and another program on the same core stretch all CPU times alike. Call this right after a call that took too
 * long, so that both are measured under the same conditions.
 */
export function slowness(): number {
  return Math.max(1, Math.min(cpuMsPerCall(work), cpuMsPerCall(work)) / REFERENCE_MS)
}

// What parsers do: scan text, cut it, and keep the pieces.
function work(): number {
  const counts = new Map<string, number>()
  let text = ''
  for (let count = 0; count < WORDS; count++) text += `word${(count * 7919) % 4001} `
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== 32) continue
    const word = text.slice(start, at)
    counts.set(word, (counts.get(word) ?? 0) + 1)
    start = at + 1
  }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).length
}
