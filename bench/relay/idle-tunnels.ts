import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { until } from '../../test/support/until.ts'
import { startPart } from '../part.ts'
import { imageOptions } from './image-options.ts'
import type { IdleRelayAnswers, Memory } from './idle-relay-process.ts'

/** Memory of a relay that holds tunnels and does nothing else. */
export type IdleMemory = { count: number; perTunnel: Memory; asFound: Memory; collected: Memory }

const ACCEPTS_PER_SECOND = 500
/** The share of tunnels that are open before memory is first read, so that the relay's fixed memory does not count. */
const FIRST_SHARE = 0.1
/** Daemons per process: each has a socket, and a process may have at most 20,000 descriptors. */
const DAEMONS_PER_PROCESS = 2_500
/** More than one heartbeat. */
const REST_MS = 20_000

/** Lets that many daemons dial one relay, and measures the memory of the relay's process for them. */
export async function measureIdleTunnels(count: number): Promise<IdleMemory> {
  const program = new URL('idle-relay-process.ts', import.meta.url)
  const options = { acceptsPerSecond: ACCEPTS_PER_SECOND }
  const relay = await startPart<IdleRelayAnswers>({ program, options, flags: imageOptions() })
  const port = await relay.ask('port')
  const organizations = await relay.ask('organizations', count)
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const endings: (() => Promise<unknown>)[] = []

  const dial = async (from: number, to: number) => {
    const file = join(folder, `${from}.json`)
    await writeFile(file, JSON.stringify(organizations.slice(from, to)))
    const herd = fork(new URL('../herd/daemons.ts', import.meta.url), [file, String(port)])
    process.on('exit', () => herd.kill('SIGKILL'))
    endings.push(() => {
      const over = once(herd, 'exit')
      herd.kill('SIGKILL')
      return over
    })
    await once(herd, 'message')
  }
  const settle = async (tunnels: number) => {
    await until(`${tunnels} tunnels are open`, async () => (await relay.ask('tunnels')) === tunnels, {
      withinMs: 120_000,
    })
    await systemClock.sleep(REST_MS)
  }

  const first = Math.round(count * FIRST_SHARE)
  await dial(0, first)
  await settle(first)
  const before = await relay.ask('collected')
  for (let from = first; from < count; from += DAEMONS_PER_PROCESS)
    await dial(from, Math.min(count, from + DAEMONS_PER_PROCESS))
  await settle(count)
  const asFound = await relay.ask('asFound')
  const collected = await relay.ask('collected')

  for (const end of endings) await end()
  await relay.stop()
  await rm(folder, { recursive: true, force: true })
  const each = (of: keyof Memory) => (collected[of] - before[of]) / (count - first)
  return {
    count,
    perTunnel: { heap: each('heap'), external: each('external'), resident: each('resident') },
    asFound,
    collected,
  }
}
