// The people who read while other organizations wake. A process of its own, so that reads do not wait for the process
// that wakes.
import { Agent } from 'node:http'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { answerParent, partOptions } from '../part.ts'
import type { Endpoint } from '../relay/load.ts'
import { readOnce } from './read-once.ts'

export type ReadersOptions = { endpoints: Endpoint[]; everyMs: number }

const { endpoints, everyMs } = partOptions<ReadersOptions>()
let failures = 0
let durations: number[] = []

/** Reads at a steady pace over a connection of its own, as another person's browser would. */
async function follow(endpoint: Endpoint, offset: number): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await systemClock.sleep(offset)
  for (;;) {
    const next = systemClock.monotonic() + everyMs
    const { status, ms } = await readOnce(endpoint, agent).catch(() => ({ status: 0, ms: Number.NaN }))
    if (status === 200) durations.push(ms)
    else failures += 1
    await systemClock.sleep(Math.max(0, next - systemClock.monotonic()))
  }
}
for (const [nth, endpoint] of endpoints.entries()) void follow(endpoint, (nth * everyMs) / endpoints.length)

const answers = {
  /** The durations of the reads since the last call in milliseconds, sorted. */
  take: (): number[] => {
    const taken = durations.toSorted((a, b) => a - b)
    durations = []
    return taken
  },
  failures: () => failures,
}
export type ReadersAnswers = typeof answers
answerParent(answers, async () => {})
