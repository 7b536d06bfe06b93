const MEGABYTE = 1024 ** 2
// What the daemon itself takes while it serves people and agents.
const RESERVED_MB = 224
// A worker with less could not load, and V8 ends the whole process if one array is larger than what is left.
const LEAST_MB = 128
const MOST_MB = 1024

/**
 * The heap that the worker may use where the daemon has so many bytes of memory: a container that takes more is killed,
 * with everybody's work. 0 or a very large number, if nothing limits the memory. Pure.
 */
export function parsingHeapMb(memoryBytes: number): number {
  if (memoryBytes === 0) return MOST_MB
  return Math.min(MOST_MB, Math.max(LEAST_MB, Math.floor(memoryBytes / MEGABYTE) - RESERVED_MB))
}
