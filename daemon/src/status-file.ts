import { basename, dirname } from 'node:path'
import { writeJsonFile } from './files/durable-file.ts'

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
  await writeJsonFile(dirname(path), basename(path), status)
}
