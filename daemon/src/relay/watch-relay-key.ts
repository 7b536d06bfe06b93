import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { readRelayKey, sameRelayKey, type RelayKey, type RelayKeySource } from './relay-key.ts'

const POLL_MS = 2_000

type Watch = { source: RelayKeySource; onChange: (key: RelayKey) => void; clock: Clock; log: Log }

/** Polls the daemon key. A key that cannot be read at the moment is not a change: its mount may be being replaced. */
export function watchRelayKey({ source, onChange, clock, log }: Watch) {
  let last = readRelayKey(source).catch(() => undefined)
  const look = async () => {
    const before = await last
    const now = await readRelayKey(source).catch(() => undefined)
    if (now === undefined || (before && sameRelayKey(before, now))) return
    last = Promise.resolve(now)
    log.info({ generation: now.generation }, 'the relay key changed')
    onChange(now)
  }
  return repeat({ everyMs: POLL_MS, task: look, first: 'after_interval', clock, log, name: 'watch of the relay key' })
}
