import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { exitCodes } from '@svc/shared/wire/error-body.ts'
import { ConfigurationError, environmentHelp, readConfig, version } from './config.ts'
import { StartFailure } from './home/start-failure.ts'
import { startDaemon } from './start-daemon.ts'

const HELP = `svcd ${version}: Markdown vaults as plain files, with web UI, REST API and MCP endpoint on one port.

Usage: svcd [--help | --version]

Everything else is configured by environment variables:

${environmentHelp()}

Exit codes: 0 stopped, 64 usage, 75 try again (port or home in use), 78 configuration, 1 anything else.
`

/** Runs the daemon until it is stopped. A start that fails ends the process with one line that says why. */
export async function run(args: readonly string[]): Promise<void> {
  if (args[0] === '--help' || args[0] === '-h') return print(HELP)
  if (args[0] === '--version' || args[0] === '-v') return print(`${version}\n`)
  if (args.length > 0) return end(exitCodes.usage, `unknown argument ${args[0]}; see svcd --help`)

  process.on('uncaughtException', (error) =>
    end(exitCodes.failure, `stopped by a bug: ${error.stack ?? error.message}`),
  )
  try {
    const config = readConfig()
    const log = createLog({ service: 'svcd', level: config.logLevel })
    await startDaemon({ config, log, clock: systemClock })
  } catch (error) {
    if (error instanceof ConfigurationError)
      return end(exitCodes.configuration, `configuration error: ${error.message.replaceAll('\n', '; ')}`)
    if (error instanceof StartFailure) return end(error.exitCode, error.message)
    return end(exitCodes.failure, `cannot start: ${(error as Error).message}`)
  }
}

function print(text: string): void {
  process.stdout.write(text)
}

function end(code: number, line: string): void {
  process.stderr.write(`svcd: ${line.replace(/\s*\n\s*/g, ' | ')}\n`)
  process.exit(code)
}
