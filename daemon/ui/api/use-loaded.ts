import { useCallback, useEffect, useRef, useState } from 'react'
import { useLatest } from '../app/use-latest.ts'
import { repeatedLoad, type Outcome } from './repeated-load.ts'

/** Something read from the daemon. */
export type Loaded<T> = { state: 'loading' } | Outcome<T>

type Held<T> = { key: string; loaded: Loaded<T> }

/**
 * Loads when `key` changes and on `reload`. A reload keeps the old value, also when it fails. A temporary failure is
 * retried after the time that the daemon asked for.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>) {
  const [held, setHeld] = useState<Held<T>>({ key, loaded: { state: 'loading' } })
  const [round, setRound] = useState(0)
  const current = useRef<{ reload(): void }>(undefined)
  const latest = useLatest(load)

  useEffect(() => {
    const loads = repeatedLoad<T>({
      load: (signal) => latest.current(signal),
      ended: (outcome) => {
        const passes = outcome.state === 'refused' && outcome.retryInSeconds !== undefined
        setHeld((held) =>
          held.key === key && held.loaded.state === 'ready' && passes ? held : { key, loaded: outcome },
        )
      },
    })
    current.current = loads
    return loads.stop
  }, [key, latest])

  // Only after the render: whoever wants to load something else has just asked for that render.
  useEffect(() => {
    if (round > 0) current.current?.reload()
  }, [round])

  const reload = useCallback(() => setRound((before) => before + 1), [])
  const loaded: Loaded<T> = held.key === key ? held.loaded : { state: 'loading' }
  return [loaded, reload] as const
}
