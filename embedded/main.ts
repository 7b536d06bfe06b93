import { createServer } from 'node:net'
import { mkdir } from 'node:fs/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { ConfigurationError } from '@svc/shared/kit/env.ts'
import { exitCodes } from '@svc/shared/wire/error-body.ts'
import { help, readEmbeddedConfig, type EmbeddedConfig } from './config.ts'
import { platformLog } from './platform-log.ts'
import { startPlatform, type Started } from './platform.ts'
import { DataInUse } from './postgres.ts'

await main(process.argv.slice(2))

async function main(args: string[]): Promise<void> {
  try {
    const config = readEmbeddedConfig(args)
    if (config.helpAsked) {
      console.log(help())
      return
    }
    await run(config)
  } catch (error) {
    end(error)
  }
}

async function run(config: EmbeddedConfig): Promise<void> {
  await mkdir(config.dataDir, { recursive: true })
  await claimPort(config.port)
  const { log, close: closeLog } = platformLog({ dataDir: config.dataDir, terminalLevel: config.logLevel })
  console.error('  Starting the platform …')
  const { started, shutdown } = await startPlatform({
    config,
    clock: systemClock,
    log,
    onLost: (what) => {
      console.error(`${what} Stopping; start again to go on.`)
      void shutdown.close().then(() => process.exit(exitCodes.tryAgain))
    },
  })
  announce(config, started)

  let stopping = false
  const stop = () => {
    if (stopping) process.exit(exitCodes.failure) // asked twice: at once
    stopping = true
    console.error('\n  Stopping: flushing and ending every daemon …')
    void shutdown
      .close()
      .then(closeLog)
      .then(() => {
        console.error('  Stopped.')
        process.exit(exitCodes.ok)
      })
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

function announce({ dataDir }: EmbeddedConfig, { baseUrl, outboxLink, setupLink }: Started): void {
  const lines = [
    ['Open', baseUrl],
    ['Mails', outboxLink && `${outboxLink}  (opens the outbox once)`],
    ['System admin', setupLink && `${setupLink}  (one-time link for the first system admin)`],
    ['State', dataDir],
    ['Stop', 'Ctrl-C'],
  ]
  const shown = lines.filter(([, text]) => text).map(([title = '', text]) => `  ${title.padEnd(14)}${text}`)
  console.log(`\n${shown.join('\n')}\n`)
}

/** A taken port ends the start before anything else has been begun. */
function claimPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}

function end(error: unknown): never {
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number }
  if (error instanceof ConfigurationError) {
    console.error(message)
    process.exit(exitCodes.configuration)
  }
  if (code === 'EADDRINUSE') {
    console.error(`Port ${port} is taken. Stop what listens there, or choose another: npm start -- --port N`)
    process.exit(exitCodes.tryAgain)
  }
  if (code === 'EACCES' || code === 'EROFS') {
    console.error(`${message}. Choose a folder that can be written: npm start -- --data DIR`)
    process.exit(exitCodes.configuration)
  }
  console.error(`The platform cannot start: ${message}`)
  process.exit(error instanceof DataInUse ? exitCodes.tryAgain : exitCodes.failure)
}
