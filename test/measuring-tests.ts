import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// What a test imports or calls to measure CPU time, turns of the event loop or memory.
const MEASURES =
  /longest-turn|cpu-time|first-opening|collect-garbage|support\/fuzz\.ts|cpuUsage|memoryUsage|threadCpuUsage|queryObjects/

/** The test files among `patterns` that measure CPU time or memory, by their text; paths below `folder`. */
export const measuringTests = (patterns: readonly string[], folder: string): string[] =>
  globSync(patterns, { cwd: folder, exclude: (name) => name === 'node_modules' || name === 'dist' }).filter((file) =>
    MEASURES.test(readFileSync(join(folder, file), 'utf8')),
  )
