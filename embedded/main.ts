import { createServer } from 'node:net'
import { mkdir } from 'node:fs/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { onEndSignals } from '@svc/shared/kit/end-signals.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { help, readEmbeddedConfig, type EmbeddedConfig } from './config.ts'
import { endWith } from './end-with.ts'
import { adoptDatabase } from './installation/adopt-database.ts'
import { lockData } from './installation/lock-data.ts'
import { completePending } from './installation/pending.ts'
import { dataLayout } from './installation/places.ts'
import { listInstallation, resetInstallation } from './installation/reset-installation.ts'
import { WrongUse } from './installation/refusal.ts'
import { confirmRemoval } from './installation/confirm-removal.ts'
import { createPlatformLog, terminalOutput, type PlatformLog } from './platform-log.ts'
import { startPlatform, type Started } from './platform.ts'

const say = (line: string) => console.error(`  ${line}`)

await main(process.argv.slice(2)).catch(endWith)

async function main(args: string[]): Promise<void> {
  const config = readEmbeddedConfig(args)
  if (config.order.kind === 'help') {
    console.log(help())
    return
  }
  await start(config).catch((error: unknown) => endWith(error, config.dataDir))
}

async function start(config: EmbeddedConfig): Promise<void> {
  refuseForeignDatabase(config)
  await mkdir(config.dataDir, { recursive: true })
  await claimPort(config.port)
  const lock = lockData(config.dataDir)
  try {
    await completePending(dataLayout(config.dataDir), say)
    await carryOutOrder(config)
    const log = createPlatformLog({
      dataDir: config.dataDir,
      terminalLevel: config.logLevel,
      terminal: process.stderr,
    })
    await run(config, log, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** These orders replace or delete the secrets in the data folder, which alone open the database of a DATABASE_URL. */
function refuseForeignDatabase({ order, databaseUrl, dataDir }: EmbeddedConfig): void {
  if (databaseUrl === undefined || order.kind === 'start') return
  const next = {
    adopt: `Unset it to take over an embedded database, or choose another folder than ${dataDir} with --data DIR.`,
    reset: `To begin anew, move ${dataDir} away, and name an empty database.`,
    help: '',
  }[order.kind]
  throw new WrongUse(
    `DATABASE_URL is set: --${order.kind} would remove the secrets in ${dataDir}, which alone open that database. ${next}`,
  )
}

async function carryOutOrder({ order, dataDir, sure }: EmbeddedConfig): Promise<void> {
  const log = createLog({ service: 'svc-platform', level: 'warn', destination: terminalOutput(process.stderr) })
  const layout = dataLayout(dataDir)
  const clock = systemClock
  if (order.kind === 'adopt') await adoptDatabase({ layout, id: order.id, clock, log, say })
  if (order.kind === 'reset') {
    const paths = await listInstallation(layout)
    await confirmRemoval({ paths, sure, again: 'npm start -- --reset --yes' })
    await resetInstallation({ layout, paths, clock, log })
  }
}

async function run(config: EmbeddedConfig, { log, close }: PlatformLog, release: () => void): Promise<void> {
  say('Starting the platform …')
  const lost = Promise.withResolvers<string>()
  const { started, shutdown } = await startPlatform({ config, clock: systemClock, log, say, onLost: lost.resolve })
  const end = async (code: number) => {
    await shutdown.close()
    close()
    await release()
    process.exit(code)
  }
  void lost.promise.then((what) => {
    console.error(`${what} Stopping; start again to go on.`)
    return end(exitCodes.tryAgain)
  })
  announce(config, started)

  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    console.error('\n  Stopping: flushing and ending every daemon …')
    process.once('exit', () => console.error('  Stopped.'))
    void end(exitCodes.ok)
  }
  onEndSignals(stop)
  // The process that started us over IPC has ended, perhaps killed: nobody else would stop us.
  process.on('disconnect', stop)
  if (process.send !== undefined && !process.connected) stop()
}

function announce({ dataDir }: EmbeddedConfig, { baseUrl, outboxLink, setupLink, databaseFolder }: Started): void {
  const outside = databaseFolder !== undefined && !databaseFolder.startsWith(`${dataDir}/`)
  const lines = [
    ['Open', baseUrl],
    ['Mails', outboxLink && `${outboxLink}  (opens the outbox once)`],
    ['System admin', setupLink && `${setupLink}  (one-time link for the first system admin)`],
    ['State', outside ? `${dataDir}, its database in ${databaseFolder}` : dataDir],
    ['Stop', 'Ctrl-C'],
  ]
  const shown = lines.filter(([, text]) => text).map(([title = '', text]) => `  ${title.padEnd(14)}${text}`)
  console.log(`\n${shown.join('\n')}\n`)
}

/** A port in use ends the start before anything else has started. */
function claimPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}
