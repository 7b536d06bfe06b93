import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { brokenRules } from '@svc/shared/wire/managed-daemon-rules.ts'
import {
  initialStatus,
  isRefusedImage,
  managedDaemonName,
  ManagedDaemonSpec,
  ManagedDaemonStatus,
  type ManagedDaemon,
} from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, StoreRejection, type SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { mergePatch } from '../../embedded/merge-patch.ts'
import type { Children, Machine } from '../../operator/src/managed-daemon/observed.ts'
import { createReconcileDaemon } from '../../operator/src/managed-daemon/reconcile.ts'
import { heldKeys, mintRelayKey, type StoredKey } from '../../operator/src/managed-daemon/relay-key.ts'
import { StepRefused, type RuntimeStep } from '../../operator/src/managed-daemon/step.ts'
import type { Runtime } from '../../operator/src/runtime/runtime.ts'

/** The name of an image says how it behaves: good, crashing, unready, cutoff. Any other repository is refused. */
export const imageOf = (behaviour: string, number: number) => `registry.example/svcd@${behaviour}-${number}`
const behaviourOf = (image: string) => /@([a-z]+)-/.exec(image)?.[1] ?? 'good'

export const limits = { startDeadlineMs: 30_000, soakMs: 3_000, pollMs: 1_000, steadyMs: 60_000 }
const READY_MS = 2_000
const ENDING_MS = 1_500
const REDIAL_MS = 2_500

type Options = { random: () => number; faults: number }

/** One daemon in a world with simulated time, store and runtime, but with the real reconciler. */
export function simulatedWorld(first: ManagedDaemonSpec, { random, faults }: Options) {
  let time = Date.parse('2026-11-21T10:00:00.000Z')
  const clock: Clock = { now: () => new Date(time), monotonic: () => time, sleep: async () => {} }
  const broken: string[] = []
  const actions: RuntimeStep['kind'][] = []
  const mayFail = () => {
    if (random() < faults) throw new Error('a fault of the world')
  }

  let version = 1
  let daemon: ManagedDaemon | undefined = {
    name: managedDaemonName(first.orgId),
    uid: 'uid',
    resourceVersion: '1',
    generation: 1,
    createdAt: clock.now().toISOString(),
    spec: first,
    status: initialStatus,
  }
  let statusWrites = 0
  const live = () => {
    if (daemon === undefined) throw new StoreConflict('gone')
    return daemon
  }

  let fixtures: Children['fixtures'] = 'absent'
  let volume: Children['volume']
  let keys: StoredKey[] = []
  let mounted: number | undefined
  let mountedSince = 0
  const mount = (generation: number) => {
    mounted = generation
    mountedSince = time
  }
  // As on Kubernetes, the first key is mounted before it is accepted.
  const current = () => ((mounted ?? Infinity) <= live().spec.relay.acceptedGeneration ? mounted : undefined)
  const stored = new Set<string>()
  let workload: Children['workload']
  let machine: { image: string; since: number; ends?: number; crashes: number } | undefined
  let flushed = false

  const tick = () => {
    if (machine?.ends !== undefined && time >= machine.ends) machine = undefined
    if (machine === undefined && workload?.running) machine = { image: workload.image, since: time, crashes: 0 }
  }
  const machineNow = (): Machine | undefined => {
    if (machine === undefined) return undefined
    const behaviour = behaviourOf(machine.image)
    const isUp = time - machine.since >= READY_MS
    const common = {
      id: 'm-0',
      image: machine.image,
      startedAt: new Date(machine.since),
    }
    if (machine.ends !== undefined) return { ...common, state: 'stopping' }
    const problem = { reason: 'Crashed', message: 'it crashed', fatal: machine.crashes >= 3 }
    if (behaviour === 'crashing') {
      machine.crashes++
      return { ...common, state: 'starting', problem: { ...problem, fatal: machine.crashes >= 3 } }
    }
    if (!isUp || behaviour === 'unready')
      return { ...common, state: 'starting', ...(machine.crashes > 0 && { problem }) }
    const shown = time - mountedSince >= REDIAL_MS ? mounted : undefined
    const relay = { connected: behaviour !== 'cutoff', keyGeneration: shown ?? (mounted ?? 1) - 1 }
    const storage = { usedBytes: 1_000_000, freeBytes: 1_000_000 }
    const daemon = { version: machine.image, ready: true, relay, storage, durableAsOf: clock.now().toISOString() }
    return { ...common, state: 'ready', readySince: new Date(machine.since + READY_MS), daemon }
  }
  const end = () => {
    const ready = machineNow()?.state === 'ready'
    const { spec, status, deletedAt } = live()
    const hasFailed = isRefusedImage(spec, status) && machine?.image === spec.image
    const mustFlush = !hasFailed && !(deletedAt && spec.deletionPolicy === 'delete')
    if (ready && mustFlush && !flushed) broken.push('a ready machine was stopped without a flush')
    if (machine) machine.ends ??= time + ENDING_MS
    flushed = false
  }

  const execute = (step: RuntimeStep) => {
    if (live().spec.paused) broken.push('a paused daemon was touched')
    actions.push(step.kind)
    if (step.kind === 'ensure_fixtures') fixtures = 'present'
    if (step.kind === 'ensure_volume') {
      const size = Math.max(volume?.requestedBytes ?? 0, step.sizeBytes)
      volume = { name: 'v', requestedBytes: size, capacityBytes: size, owned: live().spec.deletionPolicy === 'delete' }
    }
    if (step.kind === 'grow_volume' && volume) {
      if (step.sizeBytes > 2 ** 36) throw new StepRefused('the storage has no room')
      volume = { ...volume, requestedBytes: step.sizeBytes, capacityBytes: step.sizeBytes }
    }
    if (step.kind === 'add_key' || step.kind === 'add_first_key') {
      if (step.kind === 'add_first_key' && (machine || keys.length > 0)) broken.push('a key was mounted too early')
      keys = [
        ...keys.filter(({ generation }) => generation <= (mounted ?? -1)),
        { generation: step.generation, token: mintRelayKey() },
      ]
      if (step.kind === 'add_first_key') mount(step.generation)
      if (keys.length > 2) broken.push('three keys are held')
    }
    if (step.kind === 'make_key_current') {
      const hash = heldKeys(keys).find(({ generation }) => generation === step.generation)?.hash ?? ''
      if (!stored.has(hash)) broken.push('a key is used that was not accepted')
      mount(step.generation)
    }
    if (step.kind === 'retire_keys') {
      const shown = machineNow()?.daemon?.relay.keyGeneration
      if (machine && shown !== step.current) broken.push('a key was retired that the tunnel uses')
    }
    if (step.kind === 'retire_keys') keys = keys.filter(({ generation }) => generation >= step.current)
    if (step.kind === 'flush') flushed = true
    if (step.kind === 'start_workload' || step.kind === 'roll_workload') {
      if (current() === undefined) broken.push('a workload was started without a current key')
      if (step.kind === 'start_workload' && machine) broken.push('a second machine was started')
      if (machine && machine.image !== step.image) end()
      workload = { name: 'w', image: step.image, running: true }
    }
    if (step.kind === 'renew_workload' && workload) workload = { ...workload, image: step.image }
    if (step.kind === 'stop_workload' && workload) {
      workload = { ...workload, running: false }
      end()
    }
    if (step.kind === 'remove_children') {
      fixtures = 'absent'
      keys = []
      mounted = undefined
      workload = undefined
      if (step.policy === 'delete') volume = undefined
    }
  }

  const runtime: Runtime = {
    observe: async () => {
      mayFail()
      tick()
      return structuredClone({
        foreign: [],
        fixtures,
        volume,
        keys: { held: heldKeys(keys), current: current() },
        workload,
        machine: machineNow(),
      })
    },
    checkImage: async (image) =>
      image.startsWith('registry.example/svcd@')
        ? { state: 'allowed' }
        : { state: 'refused', reason: 'ImageNotAllowed', message: image },
    execute: async (_daemon, step) => {
      mayFail()
      execute(step)
      mayFail()
    },
    watch: () => () => {},
  }
  const store = {
    putStatus: async (_name: string, resourceVersion: string, given: ManagedDaemonStatus) => {
      mayFail()
      const before = live()
      if (before.resourceVersion !== resourceVersion) throw new StoreConflict('stale')
      const status = ManagedDaemonStatus.parse(given)
      statusWrites++
      daemon = { ...before, status, resourceVersion: String(++version) }
      mayFail()
      return daemon
    },
    release: async () => {
      if (daemon?.deletedAt) daemon = undefined
    },
  }
  const reconcile = createReconcileDaemon({ store, runtime, clock, limits, seen: () => {} })

  const patch = (change: SpecPatch): void => {
    const before = live()
    const parsed = ManagedDaemonSpec.safeParse(mergePatch(before.spec, change))
    if (!parsed.success) throw new StoreRejection(parsed.error.message)
    const rules = brokenRules(parsed.data, before)
    if (rules.length > 0) throw new StoreRejection(rules.join('; '))
    daemon = { ...before, spec: parsed.data, generation: before.generation + 1, resourceVersion: String(++version) }
  }

  /** The control plane's part: it stores the hash of a reported key. */
  const accept = () => {
    if (daemon === undefined) return
    const { keyGeneration, acceptedGeneration } = daemon.spec.relay
    const next = daemon.status.relay?.keys.find(
      ({ generation }) => generation > acceptedGeneration && generation <= keyGeneration + 1,
    )
    if (next === undefined || random() >= 0.7) return
    stored.add(next.hash)
    const { generation } = next
    patch({ relay: { keyGeneration: Math.max(generation, keyGeneration), acceptedGeneration: generation } })
  }

  return {
    broken,
    actions,
    patch,
    daemon: () => daemon,
    machine: machineNow,
    world: () => ({ volume, keys, current: current(), workload }),
    isStored: (hash: string) => stored.has(hash),
    statusWrites: () => statusWrites,
    /** The machine dies: its node fails, or it is evicted. */
    crash: () => {
      machine = undefined
    },
    /** Somebody deletes the Secret, or replaces its first key. */
    loseKeys: (how: 'deleted' | 'replaced') => {
      const [first, ...rest] = keys
      keys = how === 'replaced' && first ? [{ ...first, token: mintRelayKey() }, ...rest] : []
      if (how === 'deleted') mounted = undefined
    },
    remove: () => {
      daemon = {
        ...live(),
        deletedAt: clock.now().toISOString(),
        generation: live().generation + 1,
        resourceVersion: String(++version),
      }
    },
    /** Runs passes until nothing changes any more; returns false if that never happens. */
    async settle(): Promise<boolean> {
      let quiet = 0
      for (let pass = 0; pass < 600 && daemon !== undefined; pass++) {
        const before = daemon
        const done = actions.length
        let wait = 500
        try {
          wait = (await reconcile(before)).requeueAfterMs
        } catch {
          // The real queue would retry later.
        }
        accept()
        time += Math.max(50, Math.min(wait, 5_000))
        const same = isDeepStrictEqual(before, daemon) && actions.length === done
        quiet = same && wait === limits.steadyMs ? quiet + 1 : 0
        if (quiet === 3) return true
      }
      return daemon === undefined
    },
  }
}
