import type { ParseArgsConfig } from 'node:util'
import type { DaemonConfig } from '../config.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import type { RunningDaemon } from './running-daemon.ts'

/** The result of a command: `data` for `--json`, `text` for a person. */
export type Outcome = { data: unknown; text: string; exitCode?: number }

/** What a command gets to work with. */
export type CommandContext = {
  config: DaemonConfig
  layout: HomeLayout
  args: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  /** The running daemon of the home; fails when there is none. */
  daemon(): Promise<RunningDaemon>
  /** Reports the progress of long work. */
  progress(line: string): void
}

/** One command of `svcd`. */
export type Command = {
  /** What follows the name, such as `VAULT FILE`. A name in brackets may be left out. */
  arguments: string
  summary: string
  options: NonNullable<ParseArgsConfig['options']>
  /** Groups of options: exactly one of each group is given. */
  needs?: readonly (readonly string[])[]
  /** What each option means, by its name. */
  optionHelp: Readonly<Record<string, string>>
  run(context: CommandContext): Promise<Outcome>
}

/** A table of rows with aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

/** Bytes as people read them. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
