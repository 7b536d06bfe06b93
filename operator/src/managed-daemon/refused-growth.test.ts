import { expect, it } from 'vitest'
import { findCondition } from '@svc/shared/wire/managed-daemon.ts'
import { someSpec } from '../../../test/support/managed-daemon-specs.ts'
import { imageOf, simulatedWorld } from '../../../test/support/simulated-world.ts'

const TOO_LARGE = '128Gi'

it('rolls and rotates a daemon whose volume does not grow, and asks again for another growth alone', async () => {
  const world = simulatedWorld(someSpec({ image: imageOf('good', 0) }), { random: () => 0, faults: 0 })
  expect(await world.settle()).toBe(true)
  const growths = () => world.actions.filter((kind) => kind === 'grow_volume').length
  const after = async (change: Parameters<typeof world.patch>[0]) => {
    world.patch(change)
    expect(await world.settle()).toBe(true)
    return world.daemon()!.status
  }
  const grow = (id: string, epoch: number) => ({ id, action: 'storage_grow', epoch }) as const

  const refused = await after({ storage: { size: TOO_LARGE }, operation: grow('grow-0001', 1) })
  expect(refused).toMatchObject({
    observedState: 'running',
    operation: { outcome: 'failed', reason: 'GrowthRefused', message: 'the storage has no room' },
  })
  expect(growths()).toBe(1)

  const roll = { id: 'roll-0001', action: 'image_roll', epoch: 2 } as const
  const rolled = await after({ image: imageOf('good', 1), relay: { keyGeneration: 2 }, operation: roll })
  expect(rolled).toMatchObject({ image: imageOf('good', 1), operation: { id: roll.id, outcome: 'succeeded' } })
  expect(findCondition(rolled, 'Degraded')).toMatchObject({ status: 'True', reason: 'GrowthRefused' })
  expect(growths()).toBe(1)

  const again = await after({ operation: grow('grow-0002', 3) })
  expect(again).toMatchObject({ operation: { id: 'grow-0002', outcome: 'failed' } })
  expect(growths()).toBe(2)
})

it('goes on with the pass in which the storage refuses', async () => {
  const world = simulatedWorld(someSpec({ image: imageOf('good', 0) }), { random: () => 0, faults: 0 })
  await world.settle()
  const done = world.actions.length
  const roll = { id: 'roll-0001', action: 'image_roll', epoch: 1 } as const
  world.patch({ storage: { size: TOO_LARGE }, image: imageOf('good', 1), operation: roll })
  expect(await world.settle()).toBe(true)
  expect(world.actions.slice(done)).toEqual(['grow_volume', 'flush', 'roll_workload'])
  expect(world.daemon()?.status.operation).toEqual({ id: roll.id, outcome: 'succeeded' })
})
