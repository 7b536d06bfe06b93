import { expect, it } from 'vitest'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import { verifies } from '../../../../test/requirements.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'
import { createSilentPods } from './silent-pods.ts'

const podOf = (resourceVersion = '1') => ({ metadata: { name: 'org-a-0', uid: 'u', resourceVersion } }) as Pod
const status = { version: '1.0.0' } as DaemonStatus

function watched() {
  let time = 0
  const pods = createSilentPods({ clock: { monotonic: () => time } })
  return {
    pods,
    after: (ms: number) => void (time += ms),
    /** Whether the pod was queried. The query takes that long and gets that answer. */
    ask: async (tookMs: number, answer?: DaemonStatus, pod = podOf()): Promise<boolean> => {
      let asked = false
      await pods.ask(pod, async () => {
        asked = true
        time += tookMs
        return answer
      })
      return asked
    },
  }
}

it('pauses for a pod that does not answer in time, for twice as long each time, up to a minute', async () => {
  verifies('operator.dead-node-apart')
  const { after, ask } = watched()
  expect(await ask(2_000)).toBe(true)
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    after(pauseMs - 1)
    expect(await ask(2_000), `before ${pauseMs}`).toBe(false)
    after(1)
    expect(await ask(2_000), `after ${pauseMs}`).toBe(true)
  }
})

it('queries at once when the pod has changed, has answered, is new, or refuses at once', async () => {
  verifies('operator.dead-node-apart')
  const { pods, ask } = watched()
  expect(await ask(2_000)).toBe(true)
  expect(await ask(2_000)).toBe(false)
  expect(await ask(2_000, undefined, podOf('2'))).toBe(true)
  pods.forget('org-a-0')
  expect(await ask(100, status)).toBe(true)
  expect(await ask(100)).toBe(true)
  expect(await ask(100)).toBe(true)
})
