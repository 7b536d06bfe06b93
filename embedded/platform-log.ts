import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { multistream, type Level } from 'pino'
import { lineOutput } from '@svc/shared/kit/line-output.ts'
import { createLog, readableOutput } from '@svc/shared/kit/log.ts'

/** Standard error, as far as it is used. */
export type Terminal = { isTTY?: boolean; hasColors?(): boolean; write(text: string): unknown }

type Options = { dataDir: string; terminalLevel: Level | 'silent'; terminal: Terminal }

export type PlatformLog = ReturnType<typeof createPlatformLog>

/** Lines for a person on a terminal, JSON where another program reads them. */
export const terminalOutput = (terminal: Terminal): { write(line: string): void } =>
  terminal.isTTY
    ? readableOutput(terminal, terminal.hasColors?.() ? 'coloured' : 'plain')
    : { write: (line) => void terminal.write(line) }

/**
 * Logs everything from level info into a file of the data folder, and prints what a person should see now on the
 * terminal.
 */
export function createPlatformLog({ dataDir, terminalLevel, terminal }: Options) {
  const fd = openSync(join(dataDir, 'platform.log'), 'a', 0o600)
  const file = lineOutput(fd)
  let isOpen = true
  const streams = [
    { level: 'info' as const, stream: { write: (line: string) => void (isOpen && file.write(line)) } },
    ...(terminalLevel === 'silent' ? [] : [{ level: terminalLevel, stream: terminalOutput(terminal) }]),
  ]
  const log = createLog({ service: 'svc-platform', level: 'info', destination: multistream(streams) })
  const close = () => {
    isOpen = false // the number of a closed file may be given to another one
    closeSync(fd)
  }
  return { log, close }
}
