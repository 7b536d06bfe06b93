import { lineOutput } from '@svc/shared/kit/line-output.ts'
import { createLog, readableOutput, type Log } from '@svc/shared/kit/log.ts'
import type { DaemonConfig } from './config.ts'

/** The log of the daemon: lines for a person on a terminal, JSON elsewhere, unless the configuration says otherwise. */
export function createDaemonLog({ logFormat, logColours, logLevel }: DaemonConfig): Log {
  const isText = logFormat === 'text' || (logFormat === 'auto' && process.stdout.isTTY)
  const colours = process.stdout.isTTY ? logColours : 'plain'
  const output = isText ? { destination: readableOutput(lineOutput(process.stdout.fd), colours) } : {}
  return createLog({ service: 'svcd', level: logLevel, ...output })
}
