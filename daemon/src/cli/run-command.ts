import { parseArgs } from 'node:util'
import { z } from 'zod'
import { toExitCode } from '@svc/shared/wire/error-body.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { isFailure, type ServiceError } from '@svc/shared/wire/errors.ts'
import type { DaemonConfig } from '../config.ts'
import { toFileFailure } from '../files/fs-failure.ts'
import { homeLayout } from '../home/home-layout.ts'
import { realHome } from '../home/real-home.ts'
import { exportCommand, importCommand } from './archive.commands.ts'
import type { Command } from './command.ts'
import { doctorCommand } from './doctor.command.ts'
import { moveCommand } from './move.command.ts'
import { revertCommand } from './revert.command.ts'
import { findDaemon } from './running-daemon.ts'
import { flushCommand, statusCommand, vaultsCommand } from './status.commands.ts'

/** The commands that work on the daemon of a home, in the order of the help. */
const commands: Readonly<Record<string, Command>> = {
  status: statusCommand,
  vaults: vaultsCommand,
  flush: flushCommand,
  doctor: doctorCommand,
  move: moveCommand,
  revert: revertCommand,
  export: exportCommand,
  import: importCommand,
}

/** The command needs a running daemon and there is none. */
class NoDaemon extends Error {}

type Run = {
  name: string
  args: readonly string[]
  config: () => DaemonConfig
  /** Where a command writes: results to `out`, progress and failures to `error`. */
  out(text: string): void
  error(text: string): void
}

/** Runs one command; returns the exit code. */
export async function runCommand({ name, args, config: readConfig, out, error }: Run): Promise<number> {
  const command = commands[name]!
  const parsed = parse(command, args)
  if (typeof parsed === 'string') {
    error(`svcd: ${parsed}; see svcd ${name} --help\n`)
    return exitCodes.usage
  }
  const { values, positionals } = parsed
  if (values['help'] === true) {
    out(helpOf(name, command))
    return exitCodes.ok
  }
  const isJson = values['json'] === true
  const config = readConfig()
  const layout = homeLayout(await realHome(config.home))
  const daemon = async () => {
    const found = await findDaemon(layout)
    if (!found) throw new NoDaemon(`no daemon answers for ${layout.home}: start svcd, or set SVC_HOME to its home`)
    return found
  }
  const progress = (line: string) => (isJson ? undefined : error(`${line}\n`))
  try {
    const context = { config, layout, args: positionals, options: values, daemon, progress }
    const { data, text, exitCode = exitCodes.ok } = await command.run(context)
    out(isJson ? `${JSON.stringify(data)}\n` : `${text}\n`)
    return exitCode
  } catch (thrown) {
    const { code, exitCode, message, details } = asFailure(thrown)
    if (isJson) out(`${JSON.stringify({ ok: false, error: { code, message, details } })}\n`)
    else error(`svcd: ${code}: ${message}${details === undefined ? '' : ` ${readableDetails(details)}`}\n`)
    return exitCode
  }
}

/** True for the name of a command of this table. */
export const isCommand = (name: string | undefined): name is string =>
  name !== undefined && Object.hasOwn(commands, name)

/** The commands with their summaries, for `svcd --help`. */
export function commandsHelp(): string {
  return Object.entries(commands)
    .map(([name, { arguments: taken, summary }]) => `       svcd ${`${name} ${taken}`.trim()}\n           ${summary}`)
    .join('\n')
}

function parse({ options, arguments: taken, needs = [] }: Command, args: readonly string[]) {
  try {
    const shared = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const
    const parsed = parseArgs({ args: [...args], options: { ...options, ...shared }, allowPositionals: true })
    const names = taken === '' ? [] : taken.split(' ')
    const needed = names.filter((each) => !each.startsWith('['))
    const values = parsed.values as Record<string, string | boolean | undefined>
    if (values['help'] === true) return { values, positionals: [] }
    if (parsed.positionals.length < needed.length) return `${needed[parsed.positionals.length]} is missing`
    if (parsed.positionals.length > names.length) return `${parsed.positionals[names.length]} is not expected`
    for (const group of needs) {
      const given = group.filter((option) => values[option] !== undefined)
      const among = group.map((option) => `--${option}`).join(' or ')
      if (given.length === 0) return `${among} is missing`
      if (given.length > 1) return `${among}: only one of them can be given`
    }
    return { values, positionals: parsed.positionals }
  } catch (error) {
    return (error as Error).message.split('. ')[0]!
  }
}

function helpOf(name: string, { arguments: taken, summary, optionHelp, options }: Command): string {
  const lines = Object.entries(optionHelp).map(([option, meaning]) => {
    const value = options[option]?.type === 'string' ? ' TEXT' : ''
    return `  --${option}${value}\n      ${meaning}`
  })
  const shared = [
    '  --json\n      writes one JSON object to standard output, and nothing else',
    '  --help\n      this text',
  ]
  return `Usage: ${`svcd ${name} ${taken}`.trim()} [options]

svcd ${name} ${summary}.
It works on the daemon that runs on SVC_HOME${name === 'doctor' ? ', and on the files alone when none does' : ''}.

${[...lines, ...shared].join('\n')}

Exit codes: 0 done, 1 failed${name === 'doctor' ? ' or problems found' : ''}, 64 usage, 75 no daemon answers or try again, 78 configuration.
`
}

function asFailure(thrown: unknown): { code: string; exitCode: number; message: string; details?: unknown } {
  if (thrown instanceof NoDaemon) return { code: 'not_running', exitCode: exitCodes.tryAgain, message: thrown.message }
  const error = toFileFailure(thrown)
  if (isFailure(error)) {
    const { code, message } = error
    return { code, exitCode: toExitCode(error), message, details: detailsOf(error) }
  }
  const { message, cause } = thrown as Error
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
  return { code: 'internal', exitCode: exitCodes.failure, message: reason }
}

const detailsOf = ({ details, cause }: ServiceError): unknown =>
  details ?? (cause instanceof Error ? cause.message : undefined)

/** The details as text: of a list of problems, each path with its message. */
function readableDetails(details: unknown): string {
  const problems = Problems.safeParse(details).data
  return problems?.map(({ path, message }) => `${path}: ${message}`).join('; ') ?? JSON.stringify(details)
}

const Problems = z.array(z.object({ path: z.string(), message: z.string() })).min(1)
