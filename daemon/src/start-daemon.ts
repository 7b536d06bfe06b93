import { setFlagsFromString } from 'node:v8'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { collectGarbage } from '@svc/shared/kit/collect-garbage.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import { exitCodes } from '@svc/shared/wire/error-body.ts'
import { version, type DaemonConfig } from './config.ts'
import { systemDisk } from './files/disk.ts'
import { replaceHome } from './backups/replace-home.ts'
import { lockHome } from './home/lock-home.ts'
import { prepareHome } from './home/prepare-home.ts'
import { createLateCompilers } from './status/late-compilers.ts'
import { listen } from './status/listen.ts'
import { keepOwnLogSmall } from './status/own-log.ts'
import { parentChannel } from './status/parent-channel.ts'
import { createProbeToken } from './status/probe-token.ts'
import { createRestMemory } from './status/rest-memory.ts'
import { statusListener } from './status/status-listener.ts'
import { createDaemonApp } from './start-app.ts'
import { prepareRelay } from './start-relay.ts'
import { writeStatusFile } from './status-file.ts'

const STATUS_FILE_MS = 5000

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

type Deps = { config: DaemonConfig; log: Log; clock: Clock }

/** Starts everything in order: home, lock, vaults, listeners, relay. Everything stops in reverse order. */
export async function startDaemon(deps: Deps): Promise<void> {
  const shutdown = new Shutdown(deps.log)
  shutdown.onSignals()
  try {
    await start(deps, shutdown)
  } catch (error) {
    await shutdown.close()
    throw error
  }
}

async function start({ config, log, clock }: Deps, shutdown: Shutdown): Promise<void> {
  const startedAt = clock.now().toISOString()
  const compilers = createLateCompilers({ cpuMs, setFlag: setFlagsFromString, clock })
  shutdown.add('compilers', () => compilers.stop())

  const layout = await prepareHome(config.home)
  const lock = await lockHome(layout)
  shutdown.add('lock', () => lock.release())
  const stopLooking = keepOwnLogSmall({ layout, output: process.stdout.fd, log })
  shutdown.add('own log', async () => stopLooking())

  const restored = await replaceHome(layout)
  if (restored !== undefined) {
    log.info({ backupId: restored.backupId, ...restored.summary }, 'a restored backup is the home now')
    await prepareHome(config.home)
  }

  const relay = await prepareRelay({ config, layout, version, clock, log })
  let address: string | null = null
  const daemon = await createDaemonApp({
    config: { ...config, version },
    layout,
    log,
    clock,
    disk: systemDisk,
    verifyAssertion: relay.verifyAssertion,
    relayStatus: relay.status,
    program: { node: process.execPath, script: process.argv[1] ?? 'svcd' },
    restart: () => void shutdown.close().then(() => process.exit(exitCodes.tryAgain)),
    async listen(server) {
      if (config.listen === 'tcp') address = await listen(server, config)
    },
  })
  shutdown.add('app', () => daemon.close())

  const status = async (): Promise<DaemonStatus> => ({
    ...(await daemon.status()),
    relay: { connected: relay.status().controlConnected, keyGeneration: relay.keyGeneration() },
  })
  const flush = async () => {
    await daemon.flush()
    return clock.now().toISOString()
  }
  const onFailure = (error: unknown) => log.error({ err: error }, 'a question about the status could not be answered')

  if (config.nonLoopback && address !== null)
    log.warn({ address }, 'other machines can reach this daemon, and there is no login: keep the network private')

  if (config.probe) {
    const token = createProbeToken(config.relay?.key)
    const probe = statusListener({ isReady: daemon.registry.isReady, status, flush, token, onFailure })
    await listen(probe, config.probe)
    shutdown.add('status listener', () => void probe.close())
  }

  await relay.dial((stream) => daemon.server.emit('connection', stream))
  shutdown.add('relay', () => relay.stop())
  shutdown.add('work that can wait', () => daemon.stopping())

  const writeStatus = () =>
    writeStatusFile(layout.statusFile, {
      service: 'svcd',
      version,
      pid: process.pid,
      startedAt,
      address,
      home: layout.home,
      relay: relay.status(),
    })
  await writeStatus()
  let told = JSON.stringify(relay.status())
  const watch = setInterval(() => {
    const now = JSON.stringify(relay.status())
    if (now === told) return
    told = now
    writeStatus().catch((error: unknown) => log.warn({ err: error }, 'the status file cannot be written'))
  }, STATUS_FILE_MS)
  shutdown.add('status file', () => clearInterval(watch))

  const memory = createRestMemory({
    cpuMs,
    idleMs: daemon.idleMs,
    // In two turns of the event loop: the last resort goes through the heap several times, so garbage goes first.
    giveBack() {
      collectGarbage({ type: 'major' })
      setImmediate(() => collectGarbage({ type: 'major', flavor: 'last-resort' }))
    },
    clock,
  })
  shutdown.add('memory', () => memory.stop())

  parentChannel({
    channel: process,
    status,
    flush,
    stop: () => void shutdown.close().then(() => process.exit(0)),
    onFailure,
  })

  const where = address ?? 'its tunnel alone'
  log.info(
    { address, home: layout.home, statusFile: layout.statusFile },
    `svcd listening at ${where}, home ${layout.home}, status file ${layout.statusFile}`,
  )
}
