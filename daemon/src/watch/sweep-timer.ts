import type { Clock } from '@svc/shared/kit/clock.ts'
import type { WatchMode } from './watch-mode.ts'

/** Runs sweeps repeatedly, as often as the mode requires. */
export type SweepTimer = {
  setMode(mode: WatchMode): void
  stop(): void
}

type Options = {
  mode: WatchMode
  sweep(): Promise<void>
  clock: Pick<Clock, 'monotonic'>
  timing: { sweepMs: number; pollMs: number }
}

// Polling takes at most this share of the time, however large the vault is.
const POLL_SHARE = 1 / 20

export function createSweepTimer({ mode: first, sweep, clock, timing }: Options): SweepTimer {
  let mode = first
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function schedule(tookMs: number): void {
    clearTimeout(timer)
    if (stopped || mode === 'off') return
    const ms = mode === 'watch' ? timing.sweepMs : Math.max(timing.pollMs, tookMs / POLL_SHARE)
    timer = setTimeout(() => void run(), ms)
    timer.unref()
  }

  async function run(): Promise<void> {
    const begun = clock.monotonic()
    await sweep()
    schedule(clock.monotonic() - begun)
  }

  schedule(0)
  return {
    setMode(next) {
      mode = next
      schedule(0)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
