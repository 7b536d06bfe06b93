import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createAgentClient } from './agent-client.ts'
import { createExchange } from './daemon-exchange.ts'
import type { DaemonPool } from './daemon-pool.ts'
import { createExchangeBudget } from './exchange-budget.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A daemon that answers a request after this time. */
function daemonThatTakes(ms: number, text: string, assertion = 'signed') {
  const pool = {
    send(_request: unknown, on: Parameters<DaemonPool['send']>[1]) {
      setTimeout(() => {
        on.head(200, [])
        on.data(Buffer.from(text), false)
        on.complete()
      }, ms)
      return { write: () => true, endBody: () => {}, abort: () => {} }
    },
  }
  return createAgentClient({
    assertionOf: async () => assertion,
    findTunnel: async () => ({ pool, daemonId: 'dmn_a' }) as never,
    exchange: createExchange(createExchangeBudget()),
  })
}

const by = { orgId: 'org_a', identity: {} as never }
const done = '{"ok":true,"result":{"done":true},"content":[]}'

test('a tool of a daemon may take two minutes', async () => {
  const call = (ms: number) =>
    daemonThatTakes(ms, done).callTool({ ...by, request: { tool: 'move_folder', arguments: {} } })
  const inTime = call(119_000)
  await vi.advanceTimersByTimeAsync(119_000)
  expect(await inTime).toMatchObject({ result: { done: true } })

  const late = expect(call(121_000)).rejects.toMatchObject({ code: 'daemon_timeout' })
  await vi.advanceTimersByTimeAsync(121_000)
  await late
})

test('other calls may take 15 seconds', async () => {
  const late = expect(
    daemonThatTakes(16_000, '{"ok":true,"resources":[]}').listResources({ ...by, request: {} }),
  ).rejects.toMatchObject({ code: 'daemon_timeout' })
  await vi.advanceTimersByTimeAsync(15_000)
  await late
})

test('a grant of more single vaults than one call can name is told as such, and the daemon is not blamed', async () => {
  verifies('agents.many-vaults')
  const client = daemonThatTakes(0, done, 'x'.repeat(8_193))
  const called = client.callTool({ ...by, request: { tool: 'list_vaults', arguments: {} } })
  await expect(called).rejects.toMatchObject({
    code: 'forbidden',
    details: { reason: 'too_many_vaults_granted' },
    message: expect.stringContaining('connect you again') as string,
  })
})
