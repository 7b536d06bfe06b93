import { readFile } from 'node:fs/promises'
import { refuseReadableSecrets } from './readable-secrets.ts'

/**
 * Fails when a process or one of its descendants has a daemon key or a password in its command line, which every user of
 * the machine can read, or when a descendant has one in its environment. The process itself may be given its key there.
 */
export async function refuseSecretsOfProcesses(pid: number): Promise<void> {
  const [own, ...others] = await withDescendants(pid)
  for (const one of [own!, ...others])
    refuseReadableSecrets(`the command line of process ${one}`, await read(one, 'cmdline'))
  for (const one of others) refuseReadableSecrets(`the environment of process ${one}`, await read(one, 'environ'))
}

async function withDescendants(pid: number): Promise<number[]> {
  const children = (await read(pid, `task/${pid}/children`)).split(' ').filter(Boolean).map(Number)
  return [pid, ...(await Promise.all(children.map(withDescendants))).flat()]
}

// A process may end at any time; then it shows nothing any more.
const read = (pid: number, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
