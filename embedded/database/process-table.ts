import { readdir, readFile } from 'node:fs/promises'

/** One process of this machine, as Linux reports it. */
export type ProcessRow = { pid: number; parent: number; uids: number[] }

/** Command line of a process, its words separated by NUL; empty when it is gone or the system does not reveal it. */
export const commandOf = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')

export async function parentOf(pid: number): Promise<number> {
  return (await readRow(pid))?.parent ?? 0
}

/** Every process of this machine; undefined where the system has no /proc. */
export async function listProcesses(): Promise<ProcessRow[] | undefined> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  if (pids.length === 0) return undefined
  const rows = await Promise.all(pids.map(readRow))
  return rows.filter((row) => row !== undefined)
}

async function readRow(pid: number): Promise<ProcessRow | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1]
  const uids = /^Uid:((?:\t\d+)+)$/m.exec(status)?.[1]
  return parent && uids ? { pid, parent: Number(parent), uids: uids.slice(1).split('\t').map(Number) } : undefined
}
