import { readFileSync } from 'node:fs'

/** A process, distinguishable from a later one with the same pid. */
export type ProcessIdentity = { pid: number; startedAt: string }

/** When a live process was started, in the system's own unit; undefined when there is none with this pid. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    try {
      // Loaded here alone: on Linux it would take 2 ms of every start for nothing.
      const { execFileSync } = process.getBuiltinModule('node:child_process')
      const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      return text === '' ? undefined : text
    } catch {
      return undefined
    }
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses and may contain anything, so count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, ticks] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X') return undefined
    // Ticks count from boot, so include the boot id.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`
  } catch {
    return undefined
  }
}

/** The identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? '' }
}

/** True while exactly that process runs; a recycled pid does not count. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt
}
