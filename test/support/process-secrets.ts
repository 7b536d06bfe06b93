import { readFile } from 'node:fs/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { refuseReadableSecrets } from './readable-secrets.ts'

/**
 * Fails if the command line of a process or of one of its descendants contains a daemon key or a password, because
 * every user of the machine can read it. Also fails if the environment of a descendant contains one. Only the process
 * itself may get its key through its environment.
 */
export async function refuseSecretsOfProcesses(pid: number): Promise<void> {
  for (const one of [{ pid, parent: 0 }, ...(await descendantsOf(pid))]) {
    refuseReadableSecrets(`the command line of process ${one.pid}`, await read(one.pid, 'cmdline'))
    if (one.pid === pid) continue
    refuseReadableSecrets(`the environment of process ${one.pid}`, await environmentOf(one))
  }
}

/** Longer than a process needs between fork and exec. */
const EXEC_MS = 10_000

/**
 * The environment of a process. Between fork and exec, a process still has the environment and command line of its
 * parent. This waits until it runs a program of its own, or accepts the copy after `EXEC_MS`.
 */
async function environmentOf({ pid, parent }: Descendant): Promise<string> {
  const deadline = systemClock.monotonic() + EXEC_MS
  for (;;) {
    const copied = await read(parent, 'cmdline')
    const isCopy = copied !== '' && (await read(pid, 'cmdline')) === copied
    // Read last: a process may have started its program since an earlier reading.
    if (!isCopy || systemClock.monotonic() > deadline) return read(pid, 'environ')
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
