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
  timing?: { lookMs: number; restMs: number }
}

// V8 examines a function again after this many calls: 400 with Maglev, 3000 without. It keeps the number when Maglev is
// turned on later, so code that has been hot for minutes would wait for another 3000 calls.
const MAGLEV_CALLS = 400
const TURBOFAN_CALLS = 3000
const callsFlag = (calls: number) => `--invocation-count-for-turbofan=${calls}`
// Earlier versions print an error for a flag that they do not know.
const HAS_CALLS_FLAG = Number.parseInt(process.versions.v8) >= 13

// V8's compilers for hot code. Without them, code runs as V8's baseline compiler produced it.
const OFF = ['--no-opt', '--no-maglev', ...(HAS_CALLS_FLAG ? [callsFlag(MAGLEV_CALLS)] : [])]
const ON = ['--opt', '--maglev', ...(HAS_CALLS_FLAG ? [callsFlag(TURBOFAN_CALLS)] : [])]

// How often the CPU time is read while the daemon works, and while it rests. Each reading leaves garbage.
const TIMING = { lookMs: 500, restMs: 1000 }
// Timers, probes and a few readers use less than this share.
const RESTING_SHARE = 0.05
// CPU time beyond the resting share, counted from the end of the start.
const WORTH_MS = 1500
// At a start, the compilers are worth it only if notes are read: comparing 100,000 files with what is remembered takes
// half of this time.
const WORTH_A_START_MS = 4000

/**
 * Keeps the optimizing compilers of V8 off until the daemon has work for them. Their code alone takes 10 MB of memory,
 * which most hosted daemons would hold for nothing, because they are almost always idle. Once on, they stay on.
 */
export function createLateCompilers({ cpuMs, setFlag, isStarting, beforeOn, clock, timing = TIMING }: Options) {
  for (const flag of OFF) setFlag(flag)
  let last = { at: clock.monotonic(), cpu: 0 }
  let worked = 0
  let isOn = false
  let wasStarting = true

  const look = () => {
    const now = { at: clock.monotonic(), cpu: cpuMs() }
    worked = Math.max(0, worked + (now.cpu - last.cpu) - (now.at - last.at) * RESTING_SHARE)
    last = now
    const starting = wasStarting && isStarting()
    if (wasStarting && !starting && worked < WORTH_A_START_MS) worked = 0
    wasStarting = starting
    if (worked >= (starting ? WORTH_A_START_MS : WORTH_MS)) turnOn()
    else lookAgain()
  }
  let timer: NodeJS.Timeout | undefined
  const lookAgain = () => {
    clearTimeout(timer)
    timer = setTimeout(look, wasStarting || worked > 0 ? timing.lookMs : timing.restMs)
    timer.unref()
  }
  const turnOn = () => {
    if (isOn) return
    isOn = true
    clearTimeout(timer)
    const set = () => ON.forEach((flag) => setFlag(flag))
    beforeOn().then(set, set)
  }
  lookAgain()
  return {
    look,
    /** Turns them on at once. For callers that know that work is coming. */
    turnOn,
    stop: () => clearTimeout(timer),
  }
}
