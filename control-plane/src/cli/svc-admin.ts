import { parseArgs } from 'node:util'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { toExitCode } from '@svc/shared/wire/error-body.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import { createAdminClient, adminUrl } from './admin-client.ts'
import { agentCommands } from './agent-commands.ts'
import { auditCommands } from './audit-commands.ts'
import { bootstrapCommand } from './bootstrap.command.ts'
import {
  UsageError,
  type Command,
  type CommandContext,
  type Environment,
  type Option,
  type Terminal,
} from './command.ts'
import { helpOf, helpOfAll } from './help.ts'
import { inspectionCommands } from './inspection-commands.ts'
import { limitCommands } from './limit-commands.ts'
import { operationCommands } from './operation-commands.ts'
import { outboxCommand } from './outbox.command.ts'
import { peopleCommands } from './people-commands.ts'
import { createSecretReader } from './read-secret.ts'
import { rolloutCommands } from './rollout-commands.ts'
import { signingKeyCommands } from './signing-key-commands.ts'
import { signIn } from './sign-in.ts'
import { toFailure } from '../http/failures.ts'
import { adminTokensIn } from '../http/guards.ts'

type Invocation = { argv: string[]; env: Environment; terminal: Terminal }

const commands: Command[] = [
  ...operationCommands,
  ...inspectionCommands,
  ...limitCommands,
  ...rolloutCommands,
  ...auditCommands,
  ...peopleCommands,
  ...signingKeyCommands,
  ...agentCommands,
  bootstrapCommand,
  outboxCommand,
]

const commonOptions: Record<string, Option> = {
  url: { type: 'string', describe: 'Origin of the control plane; else SVC_ADMIN_URL, else BASE_URL.' },
  email: {
    type: 'string',
    describe: 'Signs in anew with this address; changes need a sign-in of the last ten minutes.',
  },
  'password-fd': { type: 'string', describe: 'File descriptor that holds the password.' },
  'code-fd': { type: 'string', describe: 'File descriptor that holds the code of the authenticator app.' },
  'session-fd': { type: 'string', describe: 'File descriptor that holds the session cookie.' },
  help: { type: 'boolean', describe: 'Shows this.' },
}

// Everybody on the machine can see a secret in an argument, and the shell's history keeps it.
const SECRET_OPTION = /^--(?:token|password|session|cookie|bearer|secret|api-?key)(?:=|$)/i
const SECRET_VALUE = /^(?:bearer\s|svc_dmn_|__Host-svc_session=|svc_session_\d+=)/i

/**
 * Runs one command and returns the exit code. Prints its result or failure as one JSON object to standard output, the
 * failure of an export that has begun to standard error.
 */
export async function runCommand({ argv, env, terminal }: Invocation): Promise<number> {
  let prints = terminal.stdout
  const print = (value: object) => prints.write(`${JSON.stringify(value, null, 2)}\n`)
  try {
    refuseSecrets(argv, env)
    const command = findCommand(argv)
    if (command === undefined) {
      if (argv.length > 0 && !argv.includes('--help')) throw new UsageError(`unknown command: ${argv.join(' ')}`)
      terminal.stdout.write(helpOfAll(commands, commonOptions))
      return exitCodes.ok
    }
    const values = parse(command, argv)
    if (values.help === true) {
      terminal.stdout.write(helpOf(command, commonOptions))
      return exitCodes.ok
    }
    const answer = await command.run(contextOf({ values, env, terminal }))
    if (Symbol.asyncIterator in answer)
      for await (const text of answer) {
        // In a file of lines, a failure would pass for lines.
        prints = terminal.stderr
        terminal.stdout.write(text)
      }
    else print(answer)
    return exitCodes.ok
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.stderr.write(`svc-admin: ${error.message}\nTry svc-admin --help.\n`)
      return exitCodes.usage
    }
    if (error instanceof ConfigurationError) {
      terminal.stderr.write(`svc-admin: ${error.message}\n`)
      return exitCodes.configuration
    }
    const failure = toFailure(error)
    if (failure.code === 'internal' || failure.code === 'database_unavailable')
      terminal.stderr.write(`svc-admin: ${String(failure.cause)}\n`)
    print(toHttp(failure, `cli-${randomBase32(8)}`).body)
    return failure.code === 'invalid_request' ? exitCodes.usage : toExitCode(failure)
  }
}

function findCommand(argv: string[]): Command | undefined {
  const words = argv.filter((argument, index) => !argument.startsWith('-') && index < 2)
  return commands
    .toSorted((a, b) => b.words.length - a.words.length)
    .find(({ words: name }) => words.slice(0, name.split(' ').length).join(' ') === name)
}

function parse(command: Command, argv: string[]) {
  const options = { ...commonOptions, ...command.options }
  const args = argv.slice(command.words.split(' ').length)
  try {
    const { values } = parseArgs({ args, options, strict: true, allowPositionals: false })
    return values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function refuseSecrets(argv: string[], env: Environment): void {
  const tokens = env.MANAGED_DAEMON_ADMIN_TOKEN ?? ''
  const known = [tokens, ...adminTokensIn(tokens), env.SVC_ADMIN_SESSION, env.SVC_ADMIN_PASSWORD].filter(Boolean)
  for (const argument of argv) {
    const value = argument.slice(argument.indexOf('=') + 1)
    if (SECRET_OPTION.test(argument) || SECRET_VALUE.test(value) || known.includes(value))
      throw new UsageError(
        'a token, password or session is refused as an argument: use the environment, a file descriptor or the prompt',
      )
  }
}

function contextOf({
  values,
  env,
  terminal,
}: {
  values: CommandContext['values']
  env: Environment
  terminal: Terminal
}): CommandContext {
  const readSecret = createSecretReader({ env, values, terminal })
  // The pods and the container of a control plane have BASE_URL.
  const baseUrl = () => adminUrl((values.url as string | undefined) ?? env.SVC_ADMIN_URL ?? env.BASE_URL)
  return {
    values,
    env,
    clock: systemClock,
    readSecret,
    say: (line) => void terminal.stderr.write(`${line}\n`),
    withImageToken: async () => {
      const url = baseUrl()
      const given = await readSecret({
        variable: 'MANAGED_DAEMON_ADMIN_TOKEN',
        fdOption: 'token-fd',
        prompt: 'Admin token of the image route',
      })
      // During a change of the token the platform accepts both, and the new one also after it.
      const token = adminTokensIn(given.reveal()).at(-1) ?? ''
      return createAdminClient(url, { authorization: `Bearer ${token}` })
    },
    withSession: async () => {
      const url = baseUrl()
      return createAdminClient(url, await signIn({ baseUrl: url, values, readSecret }))
    },
  }
}
