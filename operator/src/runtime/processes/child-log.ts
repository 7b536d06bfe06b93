import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Log } from '@svc/shared/kit/log.ts'

const LONGEST_LINE = 4_000
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Copies each line of a child into our log. A line of JSON keeps its level and its fields under `daemon`. */
export function logLines(stream: Readable, log: Log): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    const entry = parse(line)
    const level = levels.find((level) => level === entry?.level) ?? 'info'
    if (entry === undefined) log[level]({ line: line.slice(0, LONGEST_LINE) }, 'daemon output')
    else log[level]({ daemon: entry }, 'daemon log')
  })
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{') || line.length > LONGEST_LINE) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}
