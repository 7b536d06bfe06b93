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

/** What a command works with. A secret is read when the command needs it, so a dry run needs none. */
export type CommandContext = {
  values: OptionValues
  env: Environment
  clock: Clock
  /** A client with the bearer token of the image route. */
  withImageToken(): Promise<AdminClient>
  /** A client with the session of a system admin. */
  withSession(): Promise<AdminClient>
  /** Prints a line for the person at the terminal, to standard error; standard output carries the result alone. */
  say(line: string): void
  /** Reads a secret from an environment variable, from the file descriptor that an option names, or from a prompt. */
  readSecret(source: { variable: string; fdOption: string; prompt: string }): Promise<Secret>
}

/** One command of svc-admin. Its `run` returns the value to print as JSON. */
export type Command = {
  words: string
  summary: string
  options: Record<string, Option>
  /** Name of the positional argument, if there is one. */
  argument?: string
  run(context: CommandContext): Promise<object | AsyncIterable<string>>
}

/** A mistake on the command line; exit code 64. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A required text option; throws a usage error when it is missing. */
export function textOf({ values }: Pick<CommandContext, 'values'>, name: string): string {
  const value = values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is needed`)
  return value
}

/** An optional text option. */
export function maybe({ values }: Pick<CommandContext, 'values'>, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An optional whole number. */
export function numberOf(context: Pick<CommandContext, 'values'>, name: string): number | undefined {
  const text = maybe(context, name)
  if (text === undefined) return undefined
  const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new UsageError(`--${name} must be a whole number`)
  return number
}

/** The options of a command that lists rows page by page. */
export const pageOptions: Record<'limit' | 'cursor', Option> = {
  limit: { type: 'string', describe: 'Rows to list, 1 to 200; default 50.' },
  cursor: { type: 'string', describe: 'nextCursor of the page before.' },
}

export const pageOf = (context: CommandContext) => ({
  limit: numberOf(context, 'limit'),
  cursor: maybe(context, 'cursor'),
})
