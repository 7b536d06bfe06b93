import { expect, test } from 'vitest'
import { firstBelow, leastCpuMs } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { createAgentClient } from './agent-client.ts'
import { createDaemonClient } from './daemon-client.ts'
import { createExchange } from './daemon-exchange.ts'
import type { DaemonPool } from './daemon-pool.ts'
import { createExchangeBudget } from './exchange-budget.ts'

// Just below the limit of a list of vaults.
const BYTES = 1000 * 1024
const act = { sub: 'usr_a', name: 'Ada' } as never
const identity = {} as never

/** A daemon that answers every request with this text. */
function daemonThatAnswers(text: string) {
  const pool = {
    send(_request: unknown, on: Parameters<DaemonPool['send']>[1]) {
      queueMicrotask(() => {
        on.head(200, [])
        on.data(Buffer.from(text), false)
        on.complete()
      })
      return { write: () => true, endBody: () => {}, abort: () => {} }
    },
  }
  const findTunnel = async () => ({ pool, daemonId: 'dmn_a' }) as never
  const exchange = createExchange(createExchangeBudget())
  const sign = async () => ({ text: 'signed', expiresAt: new Date() })
  return {
    ofPlatform: createDaemonClient({ sign: sign as never, findTunnel, exchange })('org_a'),
    ofAgent: createAgentClient({ assertionOf: async () => 'signed', findTunnel, exchange }),
  }
}

const filled = (head: string, element: string, tail: string) =>
  head +
  Array(Math.floor(BYTES / (element.length + 1)))
    .fill(element)
    .join(',') +
  tail

const undone = '{"client":"\\u0000","person":"\\u0000","integration":"\\u0000","changes":-1}'
const undoneOfVault = `{"id":"v","agents":[${Array(9_000).fill(undone).join()}]}`

const hostile: [string, string, (daemon: ReturnType<typeof daemonThatAnswers>) => Promise<unknown>][] = [
  ['vaults', filled('{"ok":true,"vaults":[', '{}', ']}'), ({ ofPlatform }) => ofPlatform.listVaults(act)],
  [
    'agents',
    filled('{"ok":true,"vaults":[{"id":"v","agents":[', '{}', ']}]}'),
    ({ ofPlatform }) => ofPlatform.listUndone(act),
  ],
  [
    'texts',
    `{"ok":true,"vaults":[${Array(5).fill(undoneOfVault).join()}]}`,
    ({ ofPlatform }) => ofPlatform.listUndone(act),
  ],
  [
    'content',
    filled('{"ok":true,"result":{},"content":[', '{}', ']}'),
    ({ ofAgent }) => ofAgent.callTool({ orgId: 'org_a', identity, request: { tool: 't', arguments: {} } }),
  ],
  [
    'resources',
    filled('{"ok":true,"resources":[', '{}', ']}'),
    ({ ofAgent }) => ofAgent.listResources({ orgId: 'org_a', identity, request: {} }),
  ],
]

test.each(hostile)(
  'a megabyte of wrong %s cost little more than the reading of their JSON',
  async (_what, text, ask) => {
    const daemon = daemonThatAnswers(text)
    const refused = () =>
      expect(ask(daemon)).rejects.toMatchObject({ code: 'daemon_unreachable', details: { reason: 'answer_invalid' } })
    const excess = async () => {
      const read = await leastCpuMs(() => JSON.parse(text) as unknown)
      return ((await leastCpuMs(refused)) - read) / slowness()
    }
    expect(await firstBelow(STALL_MS, excess)).toBeLessThan(STALL_MS)
  },
)

test('an answer of half a million values is not parsed', async () => {
  const keys = Array.from({ length: 400_000 }, (_, nth) => `"${nth.toString(36)}":0`).join()
  const daemon = daemonThatAnswers(`{"ok":true,"result":{${keys}},"content":[]}`)
  const request = { tool: 't', arguments: {} }
  const refused = () =>
    expect(daemon.ofAgent.callTool({ orgId: 'org_a', identity, request })).rejects.toMatchObject({
      code: 'daemon_unreachable',
      details: { reason: 'answer_invalid' },
    })
  const took = async () => (await leastCpuMs(refused)) / slowness()
  expect(await firstBelow(STALL_MS, took)).toBeLessThan(STALL_MS)
})
