import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { childNames } from '../../managed-daemon/names.ts'
import type { Children, Machine } from '../../managed-daemon/observed.ts'
import { heldKeys, mintRelayKey } from '../../managed-daemon/relay-key.ts'
import { StepRefused, type RuntimeStep } from '../../managed-daemon/step.ts'
import { createDaemonFolder, type DaemonFolder } from './daemon-folder.ts'
import { DaemonProcess, type ProcessLimits } from './daemon-process.ts'
import { BUNDLE_MAIN, openLocalImage } from './local-image.ts'
import type { Runtime } from '../runtime.ts'

export type ProcessRuntimeOptions = {
  /** Holds one folder per daemon. */
  dataDir: string
  /** Holds one folder per image, named by its digest. */
  imagesDir: string
  /** Origin that daemons dial now, in case that of their resources is outdated. */
  relayOrigin?: string
  clock: Clock
  log: Log
  random: () => number
  limits?: Partial<ProcessLimits>
}

const defaults: ProcessLimits = {
  answerMs: 2_000,
  flushMs: 20_000,
  restart: { baseMs: 500, capMs: 60_000 },
  steadyMs: 3_000,
  fatalEnds: 3,
}

/** Managed daemons as child processes, with folders as volumes. All run under one uid, so tenants are not isolated. */
export function processRuntime(options: ProcessRuntimeOptions): Runtime & { stop(): Promise<void> } {
  const { dataDir, imagesDir, clock, log, random } = options
  const limits = { ...defaults, ...options.limits }
  const processes = new Map<string, DaemonProcess>()
  const watchers = new Set<Parameters<Runtime['watch']>[0]>()
  let closed = false

  const start = async (daemon: ManagedDaemon, folder: DaemonFolder, image: string) => {
    if (closed) throw new Error('the runtime is stopping')
    const opened = await openLocalImage(imagesDir, image)
    if (opened.state === 'refused') throw new StepRefused(opened.message)

    const changed = () => {
      for (const notify of watchers) notify(daemon.name, 'changed')
    }
    const env = {
      SVC_HOME: folder.home,
      SVC_LISTEN: 'tunnel-only',
      SVC_RELAY_URL: relayAddress(daemon.spec.relay.url, options.relayOrigin),
      SVC_RELAY_TOKEN_FILE: folder.secret,
    }
    const spec = { image, main: `${opened.dir}/${BUNDLE_MAIN}`, cwd: folder.home, env }
    const childLog = log.child({ orgId: daemon.spec.orgId })
    processes.set(daemon.name, new DaemonProcess(spec, { clock, log: childLog, random, limits, changed }))
  }

  const stop = async (name: string) => {
    await processes.get(name)?.stop()
    processes.delete(name)
  }

  const execute = async (daemon: ManagedDaemon, step: RuntimeStep): Promise<void> => {
    const folder = createDaemonFolder(dataDir, daemon.name)
    switch (step.kind) {
      case 'ensure_fixtures':
        return void (await folder.makeFixtures())
      case 'ensure_volume':
      case 'grow_volume': {
        const before = await folder.readVolume()
        const sizeBytes = Math.max(before?.sizeBytes ?? 0, step.sizeBytes)
        return folder.writeVolume({ sizeBytes, owned: daemon.spec.deletionPolicy === 'delete' })
      }
      case 'add_first_key':
      case 'add_key': {
        const current = (await folder.currentGeneration()) ?? -1
        const kept = (await folder.readKeys()).filter(({ generation }) => generation <= current)
        return folder.writeKeys([...kept, { generation: step.generation, token: mintRelayKey() }])
      }
      case 'make_key_current': {
        const key = (await folder.readKeys()).find(({ generation }) => generation === step.generation)
        if (key === undefined) throw new Error(`there is no key of generation ${step.generation}`)
        return folder.mountKey(key)
      }
      case 'retire_keys':
        return folder.writeKeys((await folder.readKeys()).filter(({ generation }) => generation >= step.current))
      case 'start_workload':
      case 'roll_workload':
      case 'renew_workload':
        if (processes.get(daemon.name)?.spec.image === step.image) return
        await stop(daemon.name)
        return start(daemon, folder, step.image)
      case 'flush':
        return processes.get(daemon.name)?.flush()
      case 'stop_workload':
        return stop(daemon.name)
      case 'remove_children':
        await stop(daemon.name)
        return step.policy === 'delete' ? folder.removeAll() : folder.removeSecrets()
    }
  }

  return {
    observe: (daemon) => observeFolder(daemon, createDaemonFolder(dataDir, daemon.name), processes.get(daemon.name)),
    async checkImage(image) {
      const opened = await openLocalImage(imagesDir, image)
      return opened.state === 'allowed' ? { state: 'allowed' } : opened
    },
    execute,
    watch(onNews) {
      watchers.add(onNews)
      return () => void watchers.delete(onNews)
    },
    /** Flushes and stops every child; none is started afterwards. */
    async stop() {
      closed = true
      await Promise.all([...processes.keys()].map(stop))
    },
  }
}

const relayAddress = (url: string, origin: string | undefined) =>
  origin === undefined ? url : new URL(new URL(url).pathname, origin).href

async function observeFolder(daemon: ManagedDaemon, folder: DaemonFolder, process?: DaemonProcess): Promise<Children> {
  const names = childNames(daemon.name)
  const volume = await folder.readVolume()
  return {
    foreign: [],
    fixtures: (await folder.hasFixtures()) ? 'present' : 'absent',
    volume: volume && {
      name: names.volume,
      requestedBytes: volume.sizeBytes,
      capacityBytes: volume.sizeBytes,
      owned: volume.owned,
    },
    keys: { held: heldKeys(await folder.readKeys()), current: await folder.currentGeneration() },
    workload: process && { name: names.workload, image: process.spec.image, running: !process.isStopping },
    machine: process && (await observeProcess(names.machine, process)),
  }
}

async function observeProcess(id: string, process: DaemonProcess): Promise<Machine> {
  const status = await process.status()
  const { isStopping, startedAt, readySince, problem } = process
  const state = isStopping ? 'stopping' : readySince ? 'ready' : 'starting'
  return { id, image: process.spec.image, state, startedAt, readySince, problem, daemon: status }
}
