import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { listProcesses } from '../database/process-table.ts'

type Freeze = {
  /** The process to stop, with all its descendants. */
  pid: number
  /** Children that keep running, with their descendants. */
  except: number
  clock: Clock
}

const PATIENCE_MS = 10_000
const POLL_MS = 2

// Continues every listed process when its input ends. That happens when this process ends, in whatever way, so a killed
// backup leaves no process stopped.
const THAW = `
while read -r pid; do pids="$pids $pid"; done
[ -z "$pids" ] || kill -CONT $pids 2>/dev/null`

/** Runs some work while a process and its descendants are stopped (SIGSTOP), and continues them in any case. */
export async function whileFrozen<T>({ pid, except, clock }: Freeze, work: () => Promise<T>): Promise<T> {
  const thaw = spawn('/bin/sh', ['-c', THAW, 'svc-thaw'], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const thawed = once(thaw, 'exit')
  thaw.stdin.on('error', () => {})
  const stopped = new Set<number>()
  try {
    // A process may start others until it is stopped, so repeat until there are no new ones.
    for (let found = [pid]; found.length > 0; found = await descendants(pid, except, stopped)) {
      for (const one of found) {
        stopped.add(one)
        await new Promise((resolve) => thaw.stdin.write(`${one}\n`, resolve))
        signal(one, 'SIGSTOP')
      }
      for (const one of found) await standsStill(one, clock)
    }
    return await work()
  } finally {
    for (const one of stopped) signal(one, 'SIGCONT')
    thaw.stdin.end()
    await thawed
  }
}

async function descendants(root: number, except: number, known: Set<number>): Promise<number[]> {
  const rows = await listProcesses()
  if (rows === undefined) throw new Error('This system does not list processes: stop the platform for a backup')
  const below = new Set([root])
  for (let size = 0; size !== below.size;) {
    size = below.size
    for (const { pid, parent } of rows) if (below.has(parent) && pid !== except) below.add(pid)
  }
  return [...below].filter((pid) => !known.has(pid))
}

/** A stop takes effect when a thread leaves the kernel: a write in progress is completed first. */
async function standsStill(pid: number, clock: Clock): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
    const states = await Promise.all(threads.map((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`)))
    if (states.every((state) => 'TtZX'.includes(state))) return
    await clock.sleep(POLL_MS)
  }
  throw new Error(`Process ${pid} did not stand still within ${PATIENCE_MS / 1_000} s. Try again`)
}

async function stateOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text === '' ? 'X' : text.charAt(text.lastIndexOf(')') + 2)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // ended meanwhile
  }
}
