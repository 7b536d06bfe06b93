import { useCallback, useEffect, useRef, useState } from 'react'
import { useLatest } from '../app/use-latest.ts'
import { repeatedLoad, type Outcome } from './repeated-load.ts'

/** Something read from the daemon. */
export type Loaded<T> = { state: 'loading' } | Outcome<T>

/** What a load with this key has led to. `known` has the last value, also while `loaded` is a failure. */
type Held<T> = { key: string; loaded: Loaded<T>; known?: { value: T } }

/** What is held after the end of a load. A temporary failure does not show while there is a value. */
export function heldAfter<T>(held: Held<T>, { key, outcome }: { key: string; outcome: Outcome<T> }): Held<T> {
  if (outcome.state === 'ready') return { key, loaded: outcome, known: { value: outcome.value } }
  const known = held.key === key ? held.known : undefined
  const passes = outcome.retryInSeconds !== undefined
  return known && held.loaded.state === 'ready' && passes ? held : { key, loaded: outcome, ...(known && { known }) }
}

/**
 * Loads when `key` changes and on `reload`. A reload keeps the old state while it runs and when it fails in passing;
 * another failure replaces the state, but not the last value, the third part of the answer. A temporary failure is
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
      ended: (outcome) => setHeld((held) => heldAfter(held, { key, outcome })),
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
  return [loaded, reload, held.key === key ? held.known?.value : undefined] as const
}
