import type { MachineProblem } from './observed.ts'

/** The end of a container, as the API writes it. */
export type ContainerEnd = { exitCode: number; reason?: string; finishedAt?: string }

const OUT_OF_MEMORY = 'OOMKilled'
const SIGNALLED = 128 // exit codes above this number name the signal
const SIGKILL = SIGNALLED + 9

/** The reason and description of an unrequested end, worded as the rest of a sentence about the daemon. */
export function describeEnd({ exitCode, reason }: ContainerEnd): { reason: string; words: string } {
  if (reason === OUT_OF_MEMORY) return { reason: 'OutOfMemory', words: 'ran out of memory' }
  if (exitCode === 0) return { reason: 'EndedByItself', words: 'ended by itself with exit code 0' }
  if (exitCode > SIGNALLED) return { reason: 'Crashed', words: `was ended by signal ${exitCode - SIGNALLED}` }
  return { reason: 'Crashed', words: `ended with exit code ${exitCode}` }
}

/** A daemon that ended when asked has no problem; one that was killed may have been in the middle of something. */
export function stopProblem(end: ContainerEnd): { problem?: MachineProblem } {
  if (end.exitCode === 0) return {}
  const { reason, words } = describeEnd(end)
  const forced = end.exitCode === SIGKILL && reason === 'Crashed'
  const message = `The daemon ${words} while it was stopping.`
  return { problem: { reason: forced ? 'StopForced' : reason, message, fatal: false } }
}
