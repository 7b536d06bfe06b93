import { expect, it } from 'vitest'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { apply } from './apply.ts'
import type { Observed } from './observed.ts'
import { StepRefused, type Step } from './step.ts'

it('fails when the API drops a refused growth, so that the growth is not tried again without pause', async () => {
  const daemon = someDaemon()
  const observed: Observed = {
    daemon,
    children: { foreign: [], fixtures: 'present', keys: { held: [] } },
    image: { state: 'allowed' },
    now: new Date('2026-11-21T10:00:00.000Z'),
  }
  const runtime = {
    observe: async () => observed.children,
    checkImage: async () => observed.image,
    execute: async (_daemon: unknown, { kind }: Step) => {
      executed.push(kind)
      if (kind === 'grow_volume') throw new StepRefused('no quota')
    },
    watch: () => () => {},
  }
  const store = {
    // The definition of the release before has no `failedGrowth`.
    putStatus: async (_name: string, resourceVersion: string, { failedGrowth, ...status }: typeof daemon.status) => {
      dropped.push(failedGrowth?.sizeBytes)
      return { ...daemon, resourceVersion, status }
    },
    release: async () => {},
  }
  const dropped: (number | undefined)[] = []
  const executed: Step['kind'][] = []
  const plan = {
    steps: [
      { kind: 'grow_volume', sizeBytes: 2 ** 31, reason: 'VolumeTooSmall' },
      { kind: 'flush', reason: 'FlushingBeforeStop' },
    ] as const,
    status: daemon.status,
    requeueAfterMs: 0,
  }
  await expect(apply({ store, runtime, seen: () => {} }, observed, plan)).rejects.toThrow('older than this operator')
  expect(dropped).toEqual([2 ** 31])
  // The rest of the pass does not wait for the growth.
  expect(executed).toEqual(['grow_volume', 'flush'])
})
