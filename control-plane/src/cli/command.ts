import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { AdminClient } from './admin-client.ts'

export type Environment = Record<string, string | undefined>
export type Terminal = {
  stdin: NodeJS.ReadStream
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

/** An option of a command; `describe` is what --help says. */
export type Option = Pick<ParseArgsOptionDescriptor, 'type'> & { describe: string; required?: true }
export type OptionValues = Record<string, string | boolean | undefined>

/** What a command works with. Secrets are read only when asked for, so a dry run needs none. */
export type CommandContext = {
  values: OptionValues
  env: Environment
  clock: Clock
  /** Talks to the control plane with the bearer token of the image route. */
  withImageToken(): Promise<AdminClient>
  /** Talks to the control plane as a signed-in system admin. */
  withSession(): Promise<AdminClient>
  /** A line for the person at the terminal; the answer alone goes to standard output. */
  say(line: string): void
  /** A secret: an environment variable, the file descriptor that an option names, or a prompt. */
  readSecret(source: { variable: string; fdOption: string; prompt: string }): Promise<Secret>
}

/** One command of svc-admin. `run` answers what is printed as JSON. */
export type Command = {
  words: string
  summary: string
  options: Record<string, Option>
  /** Name of the one argument that follows the words, if there is one. */
  argument?: string
  run(context: CommandContext): Promise<object | AsyncIterable<string>>
}

/** The command line is not usable; exit code 64. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A text option that was given; a missing one is a mistake in how the command was called. */
export function textOf({ values }: Pick<CommandContext, 'values'>, name: string): string {
  const value = values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is needed`)
  return value
}

/** A text option that may be absent. */
export function maybe({ values }: Pick<CommandContext, 'values'>, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number that may be absent. */
export function numberOf(context: Pick<CommandContext, 'values'>, name: string): number | undefined {
  const text = maybe(context, name)
  if (text === undefined) return undefined
  if (!/^[0-9]{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number`)
  return Number(text)
}
