import { systemClock } from '@svc/shared/kit/clock.ts'
import type { LinkState } from './link-state.ts'
import { patienceFor } from './patience.ts'
import type { Timers } from './timers.ts'

type Deps = {
  timers: Timers
  state: Pick<LinkState, 'phase' | 'inFlight' | 'isKeptAlive'>
  /** Ends the connection; it is opened again. */
  abandon(): void
}

const LOOK_MS = 5000

/**
 * Finds connections that died without a word, as after a change of the network: a browser would wait for minutes, and for
 * ever with nothing to send.
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
    /** A message came, or one went out that is answered. */
    begin(): void {
      since = systemClock.monotonic()
      later()
    },
    /** The person or the network is back: a single sign of life that was missed is enough. */
    look: () => look(true),
    end: () => timers.cancel('watch'),
  }
}
