import { readFile } from 'node:fs/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { refuseReadableSecrets } from './readable-secrets.ts'

/**
 * Fails when a process or one of its descendants has a daemon key or a password in its command line, which every user of
 * the machine can read, or when a descendant has one in its environment. The process itself may be given its key there.
 */
export async function refuseSecretsOfProcesses(pid: number): Promise<void> {
  for (const one of [{ pid, parent: 0 }, ...(await descendantsOf(pid))]) {
    refuseReadableSecrets(`the command line of process ${one.pid}`, await read(one.pid, 'cmdline'))
    if (one.pid === pid) continue
    refuseReadableSecrets(`the environment of process ${one.pid}`, await environmentOf(one))
  }
}

/** Longer than a process takes from fork to exec. */
const EXEC_MS = 2_000

/**
 * The environment that a process was given. Between fork and exec a process still is a copy of its parent, environment
 * and command line alike; this waits until it runs a program of its own, and takes one that stays a copy as it is.
 */
async function environmentOf({ pid, parent }: Descendant): Promise<string> {
  const deadline = systemClock.monotonic() + EXEC_MS
  for (;;) {
    const environment = await read(pid, 'environ')
    const copied = await read(parent, 'cmdline')
    const isCopy = copied !== '' && (await read(pid, 'cmdline')) === copied
    if (!isCopy || systemClock.monotonic() > deadline) return environment
    await systemClock.sleep(10)
  }
}

type Descendant = { pid: number; parent: number }

async function descendantsOf(parent: number): Promise<Descendant[]> {
  const children = (await read(parent, `task/${parent}/children`)).split(' ').filter(Boolean).map(Number)
  const below = await Promise.all(children.map(descendantsOf))
  return [...children.map((pid) => ({ pid, parent })), ...below.flat()]
}

// A process may end at any time; then it shows nothing any more.
const read = (pid: number, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
