import { isFailure } from '@svc/shared/wire/errors.ts'
import { heldBytes, leastCpuMs, threadCpuMs } from './cpu-time.ts'
import { slowness } from './machine-speed.ts'
import { mutate, seededRandom } from './hostile-text.ts'

/**
 * One parser under hostile input. `call` parses and checks the result. It may throw a typed failure; anything else that
 * it throws is a crash. A `bytes` target gets one byte for each character of the generated text.
 */
export type FuzzTarget = {
  name: string
  /** Well-formed inputs to start from. */
  seeds: readonly string[]
  /** Words of the grammar, to insert anywhere. */
  words: readonly string[]
  /** Longest input in characters. */
  maxLength?: number
  /** Recognizes expected errors that are not in the error catalogue. */
  isExpected?: (error: unknown) => boolean
  /** Recognizes inputs that the product gives to a worker thread, whose deadline limits them. */
  isOffLoop?: (text: string) => boolean
} & ({ input: 'text'; call: (text: string) => unknown } | { input: 'bytes'; call: (bytes: Buffer) => unknown })

/** The result of a run. The run throws at the first input that breaks a target. */
export type FuzzRun = { inputs: number; slowestMs: number; grownBytes: number }

/** The longest time that one input may hold the event loop. */
export const STALL_MS = 50
// A fifth of the deadline of the worker that parses large notes.
const OFF_LOOP_STALL_MS = 2000
const MAX_GROWTH_BYTES = 16 * 1024 * 1024
const MAX_LENGTH = 64 * 1024
// A target that mostly waits uses little CPU. The run then ends after this multiple of the CPU budget, in clock time.
const CLOCK_FACTOR = 4
const SHOWN = 300

/** Runs a target for a CPU budget; the same seed gives the same inputs. */
export async function fuzz(target: FuzzTarget, { cpuMs, seed }: { cpuMs: number; seed: number }): Promise<FuzzRun> {
  const random = seededRandom(seed)
  const source = { seeds: target.seeds, words: target.words, maxLength: target.maxLength ?? MAX_LENGTH }
  const began = { cpu: threadCpuMs(), clock: performance.now() }
  const share = () =>
    Math.max((threadCpuMs() - began.cpu) / cpuMs, (performance.now() - began.clock) / (CLOCK_FACTOR * cpuMs))
  const run: FuzzRun = { inputs: 0, slowestMs: 0, grownBytes: 0 }
  let heldBefore: number | undefined

  for (const text of target.seeds) await stand(target, text, seed)
  for (let at = 0; at < 1; at = share()) {
    run.slowestMs = Math.max(run.slowestMs, await stand(target, mutate(random, source), seed))
    run.inputs++
    // Growth in the first third of the run is warm-up: compiled code and caches that fill.
    if (heldBefore === undefined && at > 1 / 3) heldBefore = heldBytes()
  }
  run.grownBytes = heldBytes() - (heldBefore ?? heldBytes())
  if (run.grownBytes > MAX_GROWTH_BYTES)
    throw new Error(`${target.name}: ${run.inputs} inputs (seed ${seed}) left ${run.grownBytes} bytes behind`)
  return run
}

/**
 * Parses one input and returns its CPU time. If the input crashes or stalls the target, throws an error that contains
 * it.
 */
async function stand(target: FuzzTarget, text: string, seed: number): Promise<number> {
  const since = threadCpuMs()
  const crash = await crashOf(target, text)
  const spent = threadCpuMs() - since
  if (crash !== undefined)
    throw new Error(`${target.name} crashes (seed ${seed}) on ${await smallest(target, text)}`, { cause: crash })
  const allowed = target.isOffLoop?.(text) ? OFF_LOOP_STALL_MS : STALL_MS
  if (spent <= allowed) return spent

  const least = await leastCpuMs(() => crashOf(target, text))
  if (least > allowed * slowness())
    throw new Error(`${target.name} stalls for ${least.toFixed(0)} ms (seed ${seed}) on ${shown(text)}`)
  return least
}

/** The error that an input causes, if it is not a typed failure. */
async function crashOf(target: FuzzTarget, text: string): Promise<unknown> {
  try {
    await (target.input === 'text' ? target.call(text) : target.call(Buffer.from(text, 'latin1')))
    return undefined
  } catch (error) {
    if (isFailure(error) || target.isExpected?.(error)) return undefined
    return error ?? new Error('nothing was thrown')
  }
}

/** Shortens an input to the pieces that cause the crash, for the reader of the report. */
async function smallest(target: FuzzTarget, text: string): Promise<string> {
  let small = text
  for (let size = Math.ceil(small.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < small.length;) {
      const without = small.slice(0, at) + small.slice(at + size)
      if ((await crashOf(target, without)) !== undefined) small = without
      else at += size
    }
  }
  return shown(small)
}

function shown(text: string): string {
  const whole = JSON.stringify(text)
  return whole.length <= SHOWN ? whole : `${whole.slice(0, SHOWN)}… (${text.length} characters)`
}
