import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon-status.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createDaemonApp } from './app.ts'
import { version, type DaemonConfig } from './config.ts'
import { lockHome } from './home/lock-home.ts'
import { prepareHome } from './home/prepare-home.ts'
import { listen } from './status/listen.ts'
import { parentChannel } from './status/parent-channel.ts'
import { probeToken } from './status/probe-token.ts'
import { noRelay } from './status/relay-state.ts'
import { statusListener } from './status/status-listener.ts'
import { writeStatusFile } from './status-file.ts'

const STATUS_FILE_MS = 5000

type Deps = { config: DaemonConfig; log: Log; clock: Clock }

/** Starts everything in order: home, lock, vaults, listeners, relay. What was started stops in reverse order. */
export async function startDaemon({ config, log, clock }: Deps): Promise<void> {
  const shutdown = new Shutdown(log)
  const startedAt = clock.now().toISOString()

  const layout = await prepareHome(config.home)
  const lock = await lockHome(layout)
  shutdown.add('lock', () => lock.release())

  const relayStatus = () => ({ ...noRelay, configured: config.relay !== undefined })
  const relayKeyGeneration = (): number | undefined => undefined
  const verifyAssertion = async () => {
    throw fail('unauthenticated')
  }

  const daemon = await createDaemonApp({
    config: { ...config, version },
    layout,
    log,
    clock,
    verifyAssertion,
    relayStatus,
  })
  shutdown.add('app', () => daemon.close())

  const status = async (): Promise<DaemonStatus> => ({
    ...(await daemon.status()),
    relay: { connected: relayStatus().controlConnected, keyGeneration: relayKeyGeneration() },
  })
  const flush = async () => {
    await daemon.flush()
    return clock.now().toISOString()
  }
  const onFailure = (error: unknown) => log.error({ err: error }, 'a question about the status could not be answered')

  const address = config.listen === 'tcp' ? await listen(daemon.app.server, config) : null
  if (config.nonLoopback && address !== null)
    log.warn({ address }, 'other machines can reach this daemon, and there is no login: keep the network private')

  if (config.probe) {
    const token = probeToken(config.relay?.key)
    const probe = statusListener({ isReady: daemon.registry.isReady, status, flush, token, onFailure })
    await listen(probe, config.probe)
    shutdown.add('status listener', () => void probe.close())
  }

  const writeStatus = () =>
    writeStatusFile(layout.statusFile, {
      service: 'svcd',
      version,
      pid: process.pid,
      startedAt,
      address,
      home: layout.home,
      relay: relayStatus(),
    })
  await writeStatus()
  let told = JSON.stringify(relayStatus())
  const watch = setInterval(() => {
    const now = JSON.stringify(relayStatus())
    if (now === told) return
    told = now
    writeStatus().catch((error: unknown) => log.warn({ err: error }, 'the status file cannot be written'))
  }, STATUS_FILE_MS)
  shutdown.add('status file', () => clearInterval(watch))

  shutdown.onSignals()
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
