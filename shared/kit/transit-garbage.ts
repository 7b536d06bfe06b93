import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const EVERY_BYTES = 4 * 1024 * 1024

type Collect = (options: { type: 'minor' }) => void
const collect = exposeCollector()
let bytes = 0

/**
 * Counts bytes that pass through this process, and collects young garbage every few megabytes of them. Node reads each
 * piece into a buffer of its own; V8 sees little of that memory in its young generation and, after 64 MB, marks the whole
 * heap instead, which in a process of this size costs more than all other work of a transfer (docs/BENCHMARKS.md).
 */
export function countTransit(count: number): void {
  bytes += count
  if (bytes < EVERY_BYTES) return
  bytes = 0
  collect({ type: 'minor' })
}

/** The collector that `--expose-gc` shows to scripts, without showing it to any. */
function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collector
}
