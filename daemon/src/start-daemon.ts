import { setFlagsFromString } from 'node:v8'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { version, type DaemonConfig } from './config.ts'
import { systemDisk } from './files/disk/disk.ts'
import { createLocalDisk } from './files/disk/local-disk.ts'
import { isRestoreBegun } from './backups/restore-begun.ts'
import { prepareHome } from './home/prepare-home.ts'
import { importApp } from './start-routes.ts'
import type { OpenHome } from './open-home.ts'
import { createWalks } from './search/walk/walk-process.ts'
import { createLateCompilers } from './status/late-compilers.ts'
import { keepOwnLogSmall } from './status/own-log.ts'
import { createProbeToken } from './status/probe-token.ts'
import { createRestMemory } from './status/rest-memory.ts'
import { returnMemory } from './status/return-memory.ts'
import { prepareRelay } from './start-relay.ts'
import { writeStatusFile } from './status-file.ts'
import { flushAsOf } from './storage/flush-as-of.ts'

const STATUS_FILE_MS = 5000

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

type Deps = { config: DaemonConfig; home: OpenHome; shutdown: Shutdown; startedAt: Date; clock: Clock; log: Log }

/**
 * Starts everything behind the listeners of an open home, in order: relay, vaults. Stops in reverse order. The code of
 * the vaults is the largest part; it is loaded while the daemon waits for the relay.
 */
export async function startDaemon({ config, home, shutdown, startedAt, clock, log }: Deps): Promise<void> {
  const { layout, door, address, probe } = home
  const compilers = createLateCompilers({
    cpuMs,
    setFlag: setFlagsFromString,
    isStarting: () => !door.isReady(),
    // The compile cache stores the routes as V8 compiles them with the late compilers off. With them on, V8 would
    // reject the cached code.
    beforeOn: importApp,
    clock,
  })
  shutdown.add('compilers', () => compilers.stop())

  const stopLooking = keepOwnLogSmall({ layout, output: process.stdout.fd, log })
  shutdown.add('own log', async () => stopLooking())

  if (isRestoreBegun(layout)) {
    const { replaceHome } = await import('./backups/replace-home.ts')
    const restored = await replaceHome(layout)
    if (restored !== undefined) {
      log.info({ backupId: restored.backupId, ...restored.summary }, 'a restored backup is the home now')
      prepareHome(config.home)
    }
  }

  // After a restore, which replaces the index that the process reads.
  const walks = createWalks()
  walks.begin(layout.index)
  shutdown.add('walks', () => walks.close())

  const relay = await prepareRelay({ config, layout, version, clock, log })
  // Requests that come before the vaults are open wait for them, so the relay can be reached meanwhile.
  await relay.dial((stream) => door.server.emit('connection', stream))

  let memory: ReturnType<typeof createRestMemory> | undefined
  const { createDaemonApp } = await import('./start-app.ts')
  const daemon = await createDaemonApp({
    config: { ...config, version },
    layout,
    door,
    log,
    clock,
    walks,
    disks: { local: createLocalDisk({ clock }), any: systemDisk },
    verifyAssertion: relay.verifyAssertion,
    relayStatus: relay.status,
    program: { node: process.execPath, script: process.argv[1] ?? 'svcd' },
    expectWork: () => compilers.turnOn(),
    afterWork: () => memory?.owe(),
    restart: () => void shutdown.close().then(() => process.exit(exitCodes.tryAgain)),
  })
  // Most starts behind a relay are wakes: somebody waits, and the tunnel takes a moment.
  if (config.relay !== undefined) door.loadAhead()
  shutdown.add('app', () => daemon.close())
  shutdown.add('status listener', () => void probe?.close())
  shutdown.add('relay', () => relay.stop(daemon.activity))
  shutdown.add('work that can wait', () => daemon.stopping())

  const status = async (): Promise<DaemonStatus> => ({
    ...(await daemon.status()),
    relay: { connected: relay.status().controlConnected, keyGeneration: relay.keyGeneration() },
  })
  const flush = async () => (await flushAsOf(clock, () => daemon.flush())).durableAsOf

  if (config.nonLoopback && address !== null)
    log.warn({ address }, 'other machines can reach this daemon, and there is no login: keep the network private')

  home.enter({ log, status, flush, probeToken: createProbeToken(config.relay?.key) })

  const writeStatus = () =>
    writeStatusFile(layout.statusFile, {
      service: 'svcd',
      version,
      pid: process.pid,
      startedAt: startedAt.toISOString(),
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

  memory = createRestMemory({
    cpuMs,
    residentBytes: process.memoryUsage.rss,
    idleMs: () => daemon.activity.report().idleMs,
    giveBack: returnMemory,
    clock,
  })
  shutdown.add('memory', () => memory?.stop())

  if (process.send !== undefined) {
    const { parentChannel } = await import('./status/parent-channel.ts')
    parentChannel({
      channel: process,
      status,
      flush,
      stop: () => void shutdown.close().then(() => process.exit(0)),
      onFailure: (error) => log.error({ err: error }, 'a status request failed'),
    })
  }

  const where = address ?? 'its tunnel alone'
  log.info(
    { address, home: layout.home, statusFile: layout.statusFile },
    `svcd listening at ${where}, home ${layout.home}, status file ${layout.statusFile}`,
  )
}
