import { readdirSync, readFileSync } from 'node:fs'

/** Duration of a tick, in which Linux counts CPU time on every architecture that Node runs on. */
const TICK_MS = 10

type Stat = { pid: number; parent: number; ms: number }

/**
 * CPU time of processes so far, user and system together, in milliseconds by name, including running child processes.
 * Undefined where there is no /proc.
 */
export function cpuTimes(processes: Record<string, number>): Record<string, number> | undefined {
  if (process.platform !== 'linux') return undefined
  const stats = readStats()
  const total = (pid: number): number =>
    stats
      .filter((stat) => stat.pid === pid || stat.parent === pid)
      .reduce((sum, stat) => sum + (stat.pid === pid ? stat.ms : total(stat.pid)), 0)
  return Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, total(pid)]))
}

function readStats(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The second field is the program's name in parentheses and may contain spaces.
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
        const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number)
        return [{ pid: Number(name), parent: parent!, ms: (user! + system!) * TICK_MS }]
      } catch {
        return [] // it ended meanwhile
      }
    })
}
