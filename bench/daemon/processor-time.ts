import { readFileSync } from 'node:fs'

// Fields of /proc/PID/stat after the program's name: user and system time, then those of ended children.
const OWN = [11, 12]
const ENDED = [13, 14]
// The unit of these fields, independent of the scheduler.
const TICK_MS = 10

/** The fields to add up. */
export type Counted = readonly number[]

/** The ended children of a process. */
export const ended: Counted = ENDED

/** A process and its ended children. */
export const withEnded: Counted = [...OWN, ...ENDED]

/** Milliseconds of CPU time that a process has used so far. */
export function processorMs(pid: number | 'self', counted: Counted): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return counted.reduce((sum, field) => sum + Number(fields[field]), 0) * TICK_MS
}
