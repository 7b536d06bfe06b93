import { readFileSync } from 'node:fs'

// Fields of /proc/PID/stat behind the name of the program: user and system time, and those of children that have ended.
const OWN = [11, 12]
const ENDED = [13, 14]
// The kernel counts in these, whatever it schedules by.
const TICK_MS = 10

/** Of what the processor time is counted. */
export type Counted = readonly number[]

/** The children of a process that have ended. */
export const ended: Counted = ENDED

/** A process with its children that have ended. */
export const withEnded: Counted = [...OWN, ...ENDED]

/** Milliseconds of the processor that a process has used so far. */
export function processorMs(pid: number | 'self', counted: Counted): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return counted.reduce((sum, field) => sum + Number(fields[field]), 0) * TICK_MS
}
