import { pino, stdTimeFunctions, type Logger } from 'pino'
import { lineOutput } from './line-output.ts'
import { readableLine } from './readable-line.ts'

export type Log = Logger

// Second line of defence behind the Secret type: names under which a secret could be logged by accident.
const SECRET_PATHS = ['authorization', 'cookie', 'password', 'token', 'apiKey', 'assertion', 'secret', 'set-cookie']

const STANDARD_OUTPUT = 1

export type LogOptions = { service: string; level: string; destination?: { write(line: string): void } }

/** Where lines for a person are printed. */
export const readableOutput = (terminal: { write(text: string): unknown }, colours: 'coloured' | 'plain') => ({
  write: (line: string) => void terminal.write(readableLine(line, colours)),
})

/** Structured log of a process, one JSON object per line on standard output. Secrets are masked by type and by name. */
export function createLog({ service, level, destination = lineOutput(STANDARD_OUTPUT) }: LogOptions): Log {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_PATHS.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: '***' },
  }
  return pino(options, destination)
}
