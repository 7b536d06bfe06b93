import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { VaultList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { readOwnFile } from '../files/regular-file.ts'
import { homeLayout } from '../home/home-layout.ts'
import { backupBroken } from './backup-broken.ts'

export type Program = { node: string; script: string }

const StatusFile = z.object({ pid: z.number(), address: z.string().nullable() })

const START_MS = 120_000
const LOOK_MS = 100
/** The main daemon keeps serving, so this one, which only opens the vaults, gets little memory. */
const MAX_HEAP_MB = 256

/**
 * Opens a collected home with a separate daemon, on a free port of this machine and without a relay, and returns how
 * many vaults it serves. Throws backup_broken when it does not start. It ends with this process at the latest.
 */
export function createTryHome({ program, searchPath, clock }: { program: Program; searchPath: string; clock: Clock }) {
  return async (folder: string, signal: AbortSignal): Promise<number> => {
    const environment = { PATH: searchPath, SVC_HOME: folder, SVC_PORT: '0', SVC_WATCH: 'off', SVC_LOG_LEVEL: 'error' }
    const child = spawn(program.node, [`--max-old-space-size=${MAX_HEAP_MB}`, program.script], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const ended = once(child, 'exit').catch(() => {})
    try {
      const deadline = clock.monotonic() + START_MS
      for (;;) {
        signal.throwIfAborted()
        const served = await countVaults(folder, child.pid, signal)
        if (served !== undefined) return served
        if (child.exitCode !== null || child.signalCode !== null || clock.monotonic() > deadline)
          throw backupBroken('VaultsDiffer')
        await clock.sleep(LOOK_MS, signal)
      }
    } finally {
      child.kill('SIGTERM')
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(patience)
    }
  }
}

/** Undefined until the daemon is ready. */
async function countVaults(folder: string, pid: number | undefined, signal: AbortSignal): Promise<number | undefined> {
  const text = await readOwnFile(homeLayout(folder).statusFile)
  const status = text === undefined ? undefined : StatusFile.safeParse(safeJson(text)).data
  if (!status?.address || status.pid !== pid) return undefined
  try {
    const ready = await fetch(`${status.address}/api/ready`, { signal })
    await ready.body?.cancel()
    if (!ready.ok) return undefined
    return VaultList.parse(await (await fetch(`${status.address}/api/vaults`, { signal })).json()).vaults.length
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
