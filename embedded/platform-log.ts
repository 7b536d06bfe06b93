import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { multistream, type Level } from 'pino'
import { createLog } from '@svc/shared/kit/log.ts'

type Options = { dataDir: string; terminalLevel: Level | 'silent' }

export type PlatformLog = ReturnType<typeof createPlatformLog>

/**
 * Logs everything from level info into a file of the data folder, and prints what a person should see now on the
 * terminal.
 */
export function createPlatformLog({ dataDir, terminalLevel }: Options) {
  const file = createWriteStream(join(dataDir, 'platform.log'), { flags: 'a', mode: 0o600 })
  const streams = [
    { level: 'info' as const, stream: file },
    ...(terminalLevel === 'silent' ? [] : [{ level: terminalLevel, stream: process.stderr }]),
  ]
  const log = createLog({ service: 'svc-platform', level: 'info', destination: multistream(streams) })
  return { log, close: () => new Promise<void>((resolve) => file.end(resolve)) }
}
