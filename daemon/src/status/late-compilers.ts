import type { Clock } from '@svc/shared/kit/clock.ts'

type Options = {
  /** Milliseconds of CPU that the process has used so far. */
  cpuMs(): number
  setFlag(flag: string): void
  /** True until the vaults are open. */
  isStarting(): boolean
  /** Runs before the compilers are turned on. */
  beforeOn(): Promise<unknown>
  clock: Pick<Clock, 'monotonic'>
  lookMs?: number
}

// V8 looks at a function again after so many calls: after 400 where Maglev is on, after 3000 where it is off. It keeps that
// number when Maglev is turned on, and code that was hot for minutes would wait for another 3000 calls.
const MAGLEV_CALLS = 400
const TURBOFAN_CALLS = 3000
const callsFlag = (calls: number) => `--invocation-count-for-turbofan=${calls}`
// Earlier versions write an error for a flag that they do not know.
const HAS_CALLS_FLAG = Number.parseInt(process.versions.v8) >= 13

// The compilers of V8 that optimize hot code. Without them code runs from V8's own baseline.
const OFF = ['--no-opt', '--no-maglev', ...(HAS_CALLS_FLAG ? [callsFlag(MAGLEV_CALLS)] : [])]
const ON = ['--opt', '--maglev', ...(HAS_CALLS_FLAG ? [callsFlag(TURBOFAN_CALLS)] : [])]

const LOOK_MS = 500
// Timers, probes and a few readers use less.
const RESTING_SHARE = 0.05
// Beyond the resting share, counted from the end of the start.
const WORTH_MS = 1500
// A start is worth it only if it reads notes: to compare 100,000 files with what is remembered takes half of this.
const WORTH_A_START_MS = 4000

/**
 * Leaves the optimizing compilers of V8 off until the daemon has work for them. Their code alone is 10 MB of memory, which
 * most hosted daemons would hold for nothing, since they rest nearly always. Once on, they stay on.
 */
export function createLateCompilers({ cpuMs, setFlag, isStarting, beforeOn, clock, lookMs = LOOK_MS }: Options) {
  for (const flag of OFF) setFlag(flag)
  let last = { at: clock.monotonic(), cpu: 0 }
  let worked = 0
  let isOn = false
  let wasStarting = true

  const look = () => {
    const now = { at: clock.monotonic(), cpu: cpuMs() }
    worked = Math.max(0, worked + (now.cpu - last.cpu) - (now.at - last.at) * RESTING_SHARE)
    last = now
    const starting = isStarting()
    if (wasStarting && !starting && worked < WORTH_A_START_MS) worked = 0
    wasStarting = starting
    if (worked >= (starting ? WORTH_A_START_MS : WORTH_MS)) turnOn()
  }
  const turnOn = () => {
    if (isOn) return
    isOn = true
    clearInterval(looking)
    const set = () => ON.forEach((flag) => setFlag(flag))
    beforeOn().then(set, set)
  }
  const looking = setInterval(look, lookMs)
  looking.unref()
  return {
    look,
    /** Turns them on at once, for whoever knows that work is coming. */
    turnOn,
    stop: () => clearInterval(looking),
  }
}
