import { systemClock } from '@svc/shared/kit/clock.ts'
import type { LinkState } from './link-state.ts'
import { patienceFor } from './patience.ts'
import type { Timers } from './timers.ts'

type Deps = {
  timers: Timers
  state: Pick<LinkState, 'phase' | 'inFlight' | 'isKeptAlive'>
  /** Ends the connection and reconnects. */
  abandon(): void
}

const LOOK_MS = 5000

/**
 * Detects connections that died without a close event, for example after a change of the network. A browser detects
 * them only after minutes, or never if there is nothing to send.
 */
export function watchSilence({ timers, state, abandon }: Deps) {
  let since = systemClock.monotonic()

  function look(isBack: boolean): void {
    const { phase, inFlight, isKeptAlive } = state
    if (systemClock.monotonic() - since > patienceFor({ phase, inFlight, isKeptAlive, isBack })) abandon()
  }
  const later = () =>
    timers.later('watch', LOOK_MS, () => {
      later()
      look(false)
    })

  return {
    /** Restarts the wait: a message arrived, or a message was sent that expects a response. */
    begin(): void {
      since = systemClock.monotonic()
      later()
    },
    /** Called when the person or the network is back: one missed sign of life is enough to give up the connection. */
    look: () => look(true),
    end: () => timers.cancel('watch'),
  }
}
