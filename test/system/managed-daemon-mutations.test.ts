import { describe, expect, it } from 'vitest'
import { findCondition, type ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import { StoreRejection, type SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import { heldKeys } from '../../operator/src/managed-daemon/relay-key.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { imageOf, simulatedWorld } from '../support/simulated-world.ts'

const DAEMONS = 20
const MUTATIONS = 40

// A deterministic random source: the seed in a failure message repeats the run.
function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

type World = ReturnType<typeof simulatedWorld>

const badPatches: SpecPatch[] = [
  { orgId: 'org_bbbbbbbbbbbbbbbbbbbbbbbb' },
  { storage: { size: '1Ki' } },
  { storage: { size: '0Gi' } },
  { storage: { className: 'another' } },
  { desiredState: 'hibernating' as never },
  { relay: { keyGeneration: -1 } },
  { relay: { acceptedGeneration: 999 } },
  { operation: { id: 'x', action: 'image_roll', epoch: 0 } },
  { operation: { id: 'operation-old', action: 'image_roll', epoch: -1 } },
  { image: '' },
  { paused: 'yes' as never },
  { deletionPolicy: 'shred' as never },
]

/** A change that a control plane could make, and the number of machine starts that it may cause. */
function someChange(
  spec: ManagedDaemonSpec,
  random: () => number,
  number: number,
): { patch: SpecPatch; starts: number } {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!
  const epoch = (spec.operation?.epoch ?? 0) + 1
  const operation = (action: NonNullable<ManagedDaemonSpec['operation']>['action']) => ({
    id: `operation-${number}`,
    action,
    epoch,
  })
  const kind = pick(['roll', 'roll', 'rotate', 'sleep', 'wake', 'grow', 'pause', 'resume', 'policy', 'check'] as const)
  const behaviour = pick(['good', 'good', 'good', 'crashing', 'unready', 'cutoff'])
  const keyGeneration = spec.relay.keyGeneration + 1
  const mebibytes = quantityBytes(spec.storage.size) / 2 ** 20
  switch (kind) {
    case 'roll': {
      const image = random() < 0.1 ? 'evil.example/svcd@good-1' : imageOf(behaviour, number)
      const relay = random() < 0.7 ? { relay: { keyGeneration } } : {}
      return { patch: { image, ...relay, desiredState: 'running', operation: operation('image_roll') }, starts: 2 }
    }
    case 'rotate':
      return { patch: { relay: { keyGeneration }, operation: operation('key_rotation') }, starts: 0 }
    case 'grow':
      return { patch: { storage: { size: `${mebibytes + 1}Mi` }, operation: operation('storage_grow') }, starts: 0 }
    case 'sleep':
      return { patch: { desiredState: 'sleeping' }, starts: 0 }
    case 'wake':
      return { patch: { desiredState: 'running' }, starts: 1 }
    case 'pause':
      return { patch: { paused: true }, starts: 0 }
    case 'resume':
      return { patch: { paused: false }, starts: 2 }
    case 'policy':
      return { patch: { deletionPolicy: pick(['retain', 'delete']) }, starts: 0 }
    case 'check':
      return { patch: { operation: operation('storage_check'), desiredState: 'running' }, starts: 1 }
  }
}

/** The first check: the daemon is in the state of its spec, or in the state after a failed image. */
function isWhereItShouldBe(world: World): void {
  const { spec, status } = world.daemon()!
  if (spec.paused) return void expect(findCondition(status, 'Paused')?.status).toBe('True')

  const { volume, keys, current } = world.world()
  expect(volume!.requestedBytes).toBeGreaterThanOrEqual(quantityBytes(spec.storage.size))
  expect(volume!.owned).toBe(spec.deletionPolicy === 'delete')
  expect([current, ...keys.map(({ generation }) => generation)]).toEqual([
    spec.relay.keyGeneration,
    spec.relay.keyGeneration,
  ])
  expect(world.isStored(heldKeys(keys)[0]!.hash)).toBe(true)
  if (spec.desiredState === 'sleeping') {
    expect([status.observedState, world.machine()]).toEqual(['sleeping', undefined])
    return
  }
  const failed = status.failedRoll?.image === spec.image
  if (failed && status.lastGoodImage === undefined) return void expect(status.observedState).toBe('failed')
  expect(status.observedState).toBe('running')
  expect(world.machine()?.image).toBe(failed ? status.lastGoodImage : spec.image)
  if (failed) expect(findCondition(status, 'Degraded')?.status).toBe('True')
  if (spec.operation)
    expect(status.operation).toMatchObject({
      id: spec.operation.id,
      outcome: expect.stringMatching(/succeeded|failed/),
    })
}

describe('generated changes of resources', () => {
  it.each([0, 0.05, 0.25])('all end where they should, with one operation in %d failing', async (faults) => {
    let refused = 0
    let mutations = 0
    for (let seed = 1; seed <= DAEMONS; seed++) {
      const random = mulberry(seed * 1_000 + faults * 100)
      const first = someSpec({ image: imageOf('good', 0), storage: { size: '64Mi', className: 'fast' } })
      const world = simulatedWorld(first, { random, faults })
      const note = (what: string) => `seed ${seed}, mutation ${mutations}: ${what}`
      expect(await world.settle(), note('provisioning')).toBe(true)
      isWhereItShouldBe(world)

      for (let number = 1; number <= MUTATIONS; number++) {
        mutations++
        const before = world.daemon()!
        if (random() < 0.2) {
          const bad = badPatches[Math.floor(random() * badPatches.length)]!
          expect(() => world.patch(bad), note(JSON.stringify(bad))).toThrow(StoreRejection)
          expect(world.daemon()).toBe(before)
          refused++
          continue
        }
        const { patch, starts } = someChange(before.spec, random, number)
        // While the daemon sleeps, a requested image has never run, and may fail at its first start.
        const untried = before.spec.image === before.status.lastGoodImage ? 0 : 1
        const done = world.actions.length
        world.patch(patch)
        if (random() < 0.1) world.crash()
        if (random() < 0.05) world.loseKeys(random() < 0.5 ? 'deleted' : 'replaced')
        expect(await world.settle(), note(JSON.stringify(patch))).toBe(true)
        try {
          isWhereItShouldBe(world)
        } catch (error) {
          throw new Error(note(`${JSON.stringify(patch)}\n${JSON.stringify(world.daemon(), null, 1)}`), {
            cause: error,
          })
        }
        const started = world.actions
          .slice(done)
          .filter((kind) => kind === 'start_workload' || kind === 'roll_workload')
        // A fault may hide that a start has happened. The start is then requested again, but still counts once.
        if (faults === 0) expect(started.length, note(JSON.stringify(patch))).toBeLessThanOrEqual(starts + untried)
      }
      expect(world.broken, note('invariants')).toEqual([])

      world.patch({ paused: false })
      world.remove()
      expect(await world.settle(), note('deletion')).toBe(true)
      expect(world.daemon(), note('deletion')).toBeUndefined()
      expect(world.broken, note('invariants')).toEqual([])
    }
    expect(mutations).toBe(DAEMONS * MUTATIONS)
    expect(refused).toBeGreaterThan(mutations / 10)
  })
})
