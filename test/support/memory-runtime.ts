import { createHash } from 'node:crypto'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Children, HeldKey, Machine } from '../../operator/src/managed-daemon/observed.ts'
import type { RuntimeStep } from '../../operator/src/managed-daemon/step.ts'
import type { Runtime } from '../../operator/src/runtime/runtime.ts'

type Home = {
  fixtures: Children['fixtures']
  volume?: NonNullable<Children['volume']>
  held: HeldKey[]
  current?: number
  workload?: NonNullable<Children['workload']>
  machine?: Machine
}

/** The history of one daemon, for assertions: each start and roll by its image. */
export type RuntimeAction = { name: string; kind: 'started' | 'rolled' | 'stopped' | 'removed'; image?: string }

/**
 * A runtime in memory for the real reconciler: machines are ready at once, show their newest key, and crash for good on
 * images for which `isBad` is true. Keys are the hash of organization and generation, so that tests can compute them.
 */
export function memoryRuntime({
  isBad = () => false,
}: { isBad?: (daemon: ManagedDaemon, image: string) => boolean } = {}) {
  const homes = new Map<string, Home>()
  const actions: RuntimeAction[] = []
  const homeOf = (name: string) => {
    const home = homes.get(name) ?? { fixtures: 'absent', held: [] }
    homes.set(name, home)
    return home
  }

  const machineOf = (daemon: ManagedDaemon, image: string, home: Home): Machine => {
    const now = new Date()
    const id = `${daemon.name}-0`
    if (isBad(daemon, image)) {
      const problem = { reason: 'CrashLoop', message: 'exits at once', fatal: true }
      return { id, image, state: 'starting', startedAt: now, problem }
    }
    const relay = { connected: true, keyGeneration: home.current }
    const storage = { usedBytes: 4096, freeBytes: 2 ** 30 }
    const status = { version: '1.0.0', ready: true, relay, storage, durableAsOf: now.toISOString() }
    return { id, image, state: 'ready', startedAt: now, readySince: now, daemon: status }
  }

  const execute = (daemon: ManagedDaemon, step: RuntimeStep): void => {
    const { name } = daemon
    const home = homeOf(name)
    if (step.kind === 'ensure_fixtures') home.fixtures = 'present'
    if (step.kind === 'ensure_volume' || step.kind === 'grow_volume') {
      const bytes = step.sizeBytes
      home.volume = {
        name,
        requestedBytes: bytes,
        capacityBytes: bytes,
        owned: daemon.spec.deletionPolicy === 'delete',
      }
    }
    const addsKey = step.kind === 'add_key' || step.kind === 'add_first_key'
    if (addsKey) {
      // As in every runtime, the new key replaces a next key that was never accepted.
      const kept = home.held.filter(({ generation }) => generation <= (home.current ?? -1))
      home.held = [...kept, { generation: step.generation, hash: keyHash(daemon.spec.orgId, step.generation) }]
    }
    if (step.kind === 'make_key_current') home.current = step.generation
    if (step.kind === 'retire_keys') home.held = home.held.filter(({ generation }) => generation >= step.current)
    if (step.kind === 'start_workload' || step.kind === 'roll_workload') {
      actions.push({ name, kind: step.kind === 'start_workload' ? 'started' : 'rolled', image: step.image })
      home.workload = { name, image: step.image, running: true }
      home.machine = machineOf(daemon, step.image, home)
    }
    if (step.kind === 'stop_workload') {
      actions.push({ name, kind: 'stopped' })
      home.workload = home.workload && { ...home.workload, running: false }
      delete home.machine
    }
    if (step.kind === 'remove_children') {
      actions.push({ name, kind: 'removed' })
      homes.delete(name)
    }
    // A running daemon uses the mounted key at once.
    if (home.machine?.daemon) home.machine.daemon.relay.keyGeneration = home.current
  }

  const runtime: Runtime = {
    observe: async ({ name }) => {
      const { fixtures, volume, held, current, workload, machine } = homes.get(name) ?? { fixtures: 'absent', held: [] }
      return structuredClone({ foreign: [], fixtures, volume, keys: { held, current }, workload, machine })
    },
    checkImage: async () => ({ state: 'allowed' }),
    execute: async (daemon, step) => execute(daemon, step),
    watch: () => () => {},
  }
  /** Takes the volume of a daemon away, as a clean-up of unused volumes does. Returns what brings it back. */
  const loseVolume = (name: string) => {
    const { volume } = homeOf(name)
    delete homeOf(name).volume
    return () => void (homeOf(name).volume = volume)
  }
  /** Deletes the volume of a daemon while it is in use, or takes that back, which only this runtime can. */
  const setGoing = (name: string, fate: 'going' | 'stays') => {
    const { volume } = homeOf(name)
    if (volume) volume.going = fate === 'going'
  }
  return { runtime, actions, loseVolume, setGoing }
}

/** The hash of a key of this runtime. */
export const keyHash = (orgId: string, generation: number): string =>
  createHash('sha256').update(`${orgId} ${generation}`).digest('hex')
