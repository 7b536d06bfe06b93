import { systemClock } from '@svc/shared/kit/clock.ts'
import { cpuMsOf, cpuMsPerCall, leastCpuMs } from './cpu-time.ts'
import { adversarialShapes } from './adversarial-shapes.ts'
import { STALL_MS } from './fuzz.ts'

/** A parser and the length of text to measure it with; what it throws does not matter here. */
export type Measured = { length: number; call: (text: string) => unknown }

// The input is doubled three times. A linear parser then takes 8 times as long and a quadratic one 64 times.
const GROWTH = 8
const MAX_RATIO = 24
// A parser that is faster than this at full length is too fast to compare, and cannot do harm.
const TOO_SHORT_MS = 8
const REPEATS = 3
const REST_MS = 2000

/** The shapes for which a parser takes more than linear time, or holds a thread longer than one call may. */
export async function shapesBeyondLinear({ length, call }: Measured): Promise<string[]> {
  const slow: string[] = []
  for (const { name, text } of adversarialShapes) {
    const [short, long] = [text(length / GROWTH), text(length)]
    const parse = (input: string) => {
      try {
        return call(input)
      } catch {
        return undefined
      }
    }
    if ((await cpuMsOf(() => parse(long))) <= TOO_SHORT_MS) continue
    let atLong = await leastCpuMs(() => parse(long))
    // Another program on the same core slows this one down for a while, CPU time included.
    for (let again = 0; atLong > STALL_MS && again < REPEATS; again++) {
      await systemClock.sleep(REST_MS)
      atLong = Math.min(atLong, await leastCpuMs(() => parse(long)))
    }
    const atShort = cpuMsPerCall(() => parse(short))
    const isSlow = atLong > STALL_MS || (atLong > TOO_SHORT_MS && atLong > MAX_RATIO * atShort)
    if (isSlow) slow.push(`${name}: ${atShort.toFixed(1)} ms, ${GROWTH} times as long ${atLong.toFixed(1)} ms`)
  }
  return slow
}
