import { systemClock } from '@svc/shared/kit/clock.ts'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { ConfigurationError, environmentHelp, readConfig, readLoginConfig, version } from './config.ts'
import { StartFailure } from './home/start-failure.ts'
import { openHome } from './open-home.ts'

const helpText = (
  commandsHelp: string,
) => `svcd ${version}: Markdown vaults as plain files, with web UI, REST API and MCP endpoint on one port.

Usage: svcd [--help | --version]
       svcd diag [--json]   checks names, network, proxy, TLS, clock, WebSocket and message sizes on the way to
                            SVC_RELAY_URL and names the exact cause; registers nothing there
       svcd login RELAY     asks for the daemon key without showing it (or reads it from standard input), keeps it in
                            SVC_HOME/daemon/relay-key with mode 0600 and prints the command that starts the daemon
       svcd mcp             connects an agent with the vaults: MCP on standard input and output; starts a daemon if
                            none runs
       svcd mcp install     prints or writes the configuration of common agents
${commandsHelp}

Each of these takes --json and --help.

Everything else is configured by environment variables:

${environmentHelp()}

Exit codes: 0 stopped, 64 usage, 75 try again (port or home in use), 78 configuration, 1 anything else.
Of login: 0 the key is kept, 64 it is no connection key, 78 the address is none, 130 canceled.
Of diag: 0 the relay can be reached, 1 it cannot and the cause is named, 75 the cause may pass, 64 and 78 as above.
`

/** Runs the daemon until it is stopped. A start that fails ends the process with one line that says why. */
export async function run(args: readonly string[]): Promise<void> {
  if (args[0] === '--help' || args[0] === '-h')
    return print(helpText((await import('./cli/run-command.ts')).commandsHelp()))
  if (args[0] === '--version' || args[0] === '-v') return print(`${version}\n`)
  if (args[0] === 'diag') return runDiag(args.slice(1))
  if (args[0] === 'login') return runLogin(args.slice(1))
  if (args[0] === 'mcp') return runMcp(args.slice(1))
  if (args[0] !== undefined) return runOnHome(args[0], args.slice(1))

  process.on('uncaughtException', (error) => {
    if (!isUnheardSpawn(error)) end(exitCodes.failure, `stopped by a bug: ${error.stack ?? error.message}`)
  })
  try {
    await start()
  } catch (error) {
    if (error instanceof ConfigurationError)
      return end(exitCodes.configuration, `configuration error: ${error.message.replaceAll('\n', '; ')}`)
    if (error instanceof StartFailure) return end(error.exitCode, error.message)
    return end(exitCodes.failure, `cannot start: ${(error as Error).message}`)
  }
}

/**
 * True when no file descriptor was left for a child process. Its caller got an error, but simple-git listens for this
 * one too late.
 */
const isUnheardSpawn = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  (code === 'EMFILE' || code === 'ENFILE') && syscall?.startsWith('spawn') === true

// Accepting a connection, reading its request and responding each take a turn of the event loop.
const TURNS = 3

/** Lets the daemon respond to health requests between two parts of the start: loading a part blocks the event loop. */
async function answerWhoWaits(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Listens and responds to health requests first, then loads the rest of the daemon. */
async function start(): Promise<void> {
  const config = readConfig()
  const shutdown = new Shutdown()
  shutdown.onSignals()
  try {
    const startedAt = systemClock.now()
    const home = await openHome(config, shutdown)
    await answerWhoWaits()
    const { createDaemonLog } = await import('./daemon-log.ts')
    const log = createDaemonLog(config)
    shutdown.logTo(log)
    await answerWhoWaits()
    const { startDaemon } = await import('./start-daemon.ts')
    await startDaemon({ config, home, shutdown, startedAt, clock: systemClock, log })
  } catch (error) {
    await shutdown.close()
    throw error
  }
}

async function runDiag(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg !== '--json')) return end(exitCodes.usage, 'diag takes --json alone; see svcd --help')
  try {
    const { diag } = await import('./diagnosis/diag.command.ts')
    const form = args.length > 0 ? 'json' : 'text'
    process.exitCode = await diag({ config: readConfig(), clock: systemClock, form, print })
  } catch (error) {
    if (error instanceof ConfigurationError)
      return end(exitCodes.configuration, `configuration error: ${error.message.replaceAll('\n', '; ')}`)
    throw error
  }
}

async function runLogin([relayUrl, ...rest]: readonly string[]): Promise<void> {
  if (relayUrl === undefined || rest.length > 0)
    return end(exitCodes.usage, 'login takes the relay address alone; the web app shows it. See svcd --help')
  try {
    const { login } = await import('./login/login.command.ts')
    const program = { node: process.execPath, script: process.argv[1] ?? 'svcd' }
    process.exitCode = await login({ ...readLoginConfig(relayUrl), program, terminal: process })
  } catch (error) {
    if (error instanceof ConfigurationError) return end(exitCodes.configuration, error.message)
    return end(exitCodes.failure, `the key could not be kept: ${(error as Error).message}`)
  }
}

async function runMcp(args: readonly string[]): Promise<void> {
  try {
    const { mcpCommand } = await import('./cli/mcp.command.ts')
    const error = (text: string) => void process.stderr.write(text)
    const program = { node: process.execPath, script: process.argv[1] ?? 'svcd' }
    process.exitCode = await mcpCommand({ args, config: readConfig, program, out: print, error })
  } catch (error) {
    if (error instanceof ConfigurationError)
      return end(exitCodes.configuration, `configuration error: ${error.message.replaceAll('\n', '; ')}`)
    return end(exitCodes.failure, (error as Error).message)
  }
}

async function runOnHome(name: string, args: readonly string[]): Promise<void> {
  const { isCommand, runCommand } = await import('./cli/run-command.ts')
  if (!isCommand(name)) return end(exitCodes.usage, `unknown argument ${name}; see svcd --help`)
  try {
    const error = (text: string) => void process.stderr.write(text)
    process.exitCode = await runCommand({ name, args, config: readConfig, out: print, error })
  } catch (error) {
    if (error instanceof ConfigurationError)
      return end(exitCodes.configuration, `configuration error: ${error.message.replaceAll('\n', '; ')}`)
    throw error
  }
}

function print(text: string): void {
  process.stdout.write(text)
}

function end(code: number, line: string): void {
  process.stderr.write(`svcd: ${oneLine(line)}\n`)
  process.exit(code)
}

/** Joins the lines of a text: each line of the journal must make sense alone. */
function oneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' | ')
}
