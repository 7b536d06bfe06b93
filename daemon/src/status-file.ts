import { open, rename } from 'node:fs/promises'

/** What scripts may read of a running daemon in `$SVC_HOME/daemon/status.json`. */
export type StatusFile = {
  service: 'svcd'
  version: string
  pid: number
  startedAt: string
  address: string | null
  home: string
  relay: { configured: boolean; started: boolean; controlConnected: boolean; reconnectScheduled: boolean }
}

/** Replaces the status file in one step, so that a reader never sees half of it. */
export async function writeStatusFile(path: string, status: StatusFile): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(status, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, path)
}
