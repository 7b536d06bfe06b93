import type { Clock } from '@svc/shared/kit/clock.ts'
import { hashDaemonKey } from '../daemon-keys/daemon-key.ts'

/** Burst of dials per key: a daemon with four tunnels that looks for a replica for each needs half of it. */
const BURST = 60
const PER_SECOND = 1
const MAX_KEYS = 20_000

/**
 * Limits how often one daemon may dial a replica, so that a daemon that dials constantly does not use up the accept
 * budget of all. Only verified keys are counted: nobody else can spend a daemon's budget.
 */
export function createDialBudget(clock: Pick<Clock, 'monotonic'>) {
  const uses = new Map<string, { left: number; at: number }>()
  const nameOf = (key: string) => hashDaemonKey(key).toString('base64')
  const leftNow = ({ left, at }: { left: number; at: number }) =>
    Math.min(BURST, left + ((clock.monotonic() - at) / 1000) * PER_SECOND)

  return {
    /** Seconds to wait before the key may be used again; 0 when it may. */
    waitSeconds: (key: string): number => {
      const use = uses.get(nameOf(key))
      return use === undefined ? 0 : Math.max(0, Math.ceil((1 - leftNow(use)) / PER_SECOND))
    },

    /** Counts a dial with a verified key. */
    count: (key: string): void => {
      const name = nameOf(key)
      const use = uses.get(name)
      uses.delete(name)
      if (uses.size >= MAX_KEYS) uses.delete(uses.keys().next().value!)
      uses.set(name, { left: (use === undefined ? BURST : leftNow(use)) - 1, at: clock.monotonic() })
    },
  }
}
