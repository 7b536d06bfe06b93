import { readFileSync } from 'node:fs'
import { askSecret } from '@svc/shared/kit/ask-secret.ts'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { UsageError, type CommandContext, type Environment, type OptionValues, type Terminal } from './command.ts'

type Deps = { env: Environment; values: OptionValues; terminal: Terminal }

/** The sources of secrets: a named file descriptor, the environment, or a prompt without echo. */
export function createSecretReader({ env, values, terminal }: Deps): CommandContext['readSecret'] {
  return async ({ variable, fdOption, prompt }) => {
    const descriptor = values[fdOption]
    if (typeof descriptor === 'string') return fromDescriptor(descriptor, fdOption)
    const given = env[variable]?.trim()
    if (given) return new Secret(given)
    const typed = terminal.stdin.isTTY ? await askSecret(terminal, prompt) : undefined
    if (typed !== undefined) return typed
    throw new ConfigurationError([{ path: variable, message: `is needed, or --${fdOption} with a file descriptor` }])
  }
}

function fromDescriptor(text: string, option: string): Secret {
  if (!/^[0-9]{1,4}$/.test(text)) throw new UsageError(`--${option} takes the number of an open file descriptor`)
  try {
    const secret = readFileSync(Number(text), 'utf8').trim()
    if (secret) return new Secret(secret)
  } catch (error) {
    throw new UsageError(`--${option} ${text} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
  throw new UsageError(`--${option} ${text} holds nothing`)
}
