import { collectGarbage } from './collect-garbage.ts'

const EVERY_BYTES = 1024 * 1024 // they leave up to three times as much garbage

let bytes = 0

/**
 * Counts bytes that pass through this process, and collects young garbage for every megabyte of them. Node reads each
 * piece into a buffer of its own, and a message of several pieces is copied into one more. V8 sees little of that
 * memory in its young generation and marks the whole heap instead: after 64 MB, or after 8 MB where it has shrunk the
 * heap during a quiet time. In a process of this size that costs more than all other work of a transfer
 * (docs/BENCHMARKS.md).
 */
export function countTransit(count: number): void {
  bytes += count
  if (bytes < EVERY_BYTES) return
  bytes = 0
  collectGarbage({ type: 'minor' })
}
