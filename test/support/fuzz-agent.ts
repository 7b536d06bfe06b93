import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { randomCall } from './agent-calls.ts'
import { seededRandom } from './hostile-text.ts'
import { callMany } from './call-many.ts'
import { startRelayedDaemon } from './relayed-daemon.ts'

const AT_ONCE = 8
const HOME_ENTRIES = ['canary.txt', 'daemon', 'vaults']

/**
 * Makes many random tool calls as an agent that may use one vault: no response is a bug, and nothing outside that vault
 * changes.
 */
export async function fuzzAgent({ calls, seed }: { calls: number; seed: number }): Promise<{ done: number }> {
  const daemon = await startRelayedDaemon()
  try {
    const canary = join(daemon.home, 'canary.txt')
    const other = join(daemon.home, 'vaults/other')
    await writeFile(canary, 'canary')
    await mkdir(other, { recursive: true })
    await writeFile(join(other, 'secret.md'), 'secret of the other vault')
    const agent = { sub: newId(idPrefixes.user), name: 'Ada', role: 'admin', vaults: ['demo-vault'] } as const
    const random = seededRandom(seed)
    let done = 0
    await callMany({ calls, atOnce: AT_ONCE, name: 'agent fuzz' }, async (at) => {
      const call = randomCall(random)
      const { status, text } = await daemon.agentCall(call, { ...agent, vaults: [...agent.vaults] })
      if (status >= 500 || text.includes('secret of the other'))
        throw new Error(
          `call ${at} (seed ${seed}): ${status} ${text.slice(0, 300)} to ${JSON.stringify(call).slice(0, 1000)}`,
        )
      if (status === 200) done++
    })
    expect(await readFile(canary, 'utf8')).toBe('canary')
    expect((await readdir(other)).filter((name) => name !== '.svc')).toEqual(['secret.md'])
    expect((await readdir(daemon.home)).toSorted()).toEqual(HOME_ENTRIES)
    return { done }
  } finally {
    await daemon.close()
  }
}
