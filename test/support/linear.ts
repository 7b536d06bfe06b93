import { cpuMsOf, cpuMsPerCall, leastCpuMs } from './cpu-time.ts'
import { adversarialShapes, type Shape } from './adversarial-shapes.ts'
import { STALL_MS } from './fuzz.ts'
import { slowness } from './machine-speed.ts'

/** A parser, and the length of the text to measure it with. Errors that it throws do not matter here. */
export type Measured = { length: number; call: (text: string) => unknown }

// The input is doubled three times. A linear parser then takes 8 times as long and a quadratic one 64 times.
const GROWTH = 8
const MAX_RATIO = 24
// A parser that needs less time than this for the full length cannot be compared reliably, and can do no harm.
const TOO_SHORT_MS = 8

/** Of a quadratic parser every measurement is too long; of a linear one on a busy machine, some are. */
const MEASUREMENTS = 4

/** The shapes for which a parser takes more than linear time, or holds a thread longer than one call may. */
export async function shapesBeyondLinear(
  { length, call }: Measured,
  shapes: readonly Shape[] = adversarialShapes,
): Promise<string[]> {
  const slow: string[] = []
  for (const { name, text } of shapes) {
    const [short, long] = [text(length / GROWTH), text(length)]
    const parse = (input: string) => {
      try {
        return call(input)
      } catch {
        return undefined
      }
    }
    if ((await cpuMsOf(() => parse(long))) <= TOO_SHORT_MS) continue
    let tooLong = await howMuchTooLong(parse, short, long)
    for (let again = 1; again < MEASUREMENTS && tooLong !== undefined; again++)
      tooLong = await howMuchTooLong(parse, short, long)
    if (tooLong !== undefined) slow.push(`${name}: ${tooLong}`)
  }
  return slow
}

/** Undefined when the long text takes no more than linear time. */
async function howMuchTooLong(
  parse: (text: string) => unknown,
  short: string,
  long: string,
): Promise<string | undefined> {
  const atLong = await leastCpuMs(() => parse(long))
  const stallMs = atLong > STALL_MS ? STALL_MS * slowness() : STALL_MS
  const atShort = cpuMsPerCall(() => parse(short))
  const isSlow = atLong > stallMs || (atLong > TOO_SHORT_MS && atLong > MAX_RATIO * atShort)
  return isSlow ? `${atShort.toFixed(1)} ms, ${GROWTH} times as long ${atLong.toFixed(1)} ms` : undefined
}
