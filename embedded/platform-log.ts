import { multistream, type Level } from 'pino'
import { createLog, readableOutput } from '@svc/shared/kit/log.ts'
import { dataLayout } from './installation/places.ts'
import { openLogFile } from './log-file.ts'

const MAX_BYTES = 20 * 1024 * 1024

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
  const layout = dataLayout(dataDir)
  const file = openLogFile({ file: layout.log, earlier: layout.earlierLog, maxBytes: MAX_BYTES })
  const streams = [
    { level: 'info' as const, stream: file },
    ...(terminalLevel === 'silent' ? [] : [{ level: terminalLevel, stream: terminalOutput(terminal) }]),
  ]
  const log = createLog({ service: 'svc-platform', level: 'info', destination: multistream(streams) })
  return { log, close: file.close }
}
