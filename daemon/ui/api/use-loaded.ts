import { useCallback, useEffect, useState } from 'react'
import { useLatest } from '../app/use-latest.ts'
import { asRefusal, passesByItself, secondsToRetry, type Refusal } from './refusal.ts'

/** Something read from the daemon. A temporary failure has the seconds until the retry. */
export type Loaded<T> =
  { state: 'loading' } | { state: 'ready'; value: T } | { state: 'refused'; refusal: Refusal; retryInSeconds?: number }

type Held<T> = { key: string; loaded: Loaded<T> }

/**
 * Loads when `key` changes and on `reload`. A reload keeps the old value, also when it fails. A temporary failure is
 * retried after the time that the daemon asked for.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>) {
  const [held, setHeld] = useState<Held<T>>({ key, loaded: { state: 'loading' } })
  const [round, setRound] = useState(0)
  const latest = useLatest(load)

  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    const attempt = async (nth: number) => {
      try {
        const value = await latest.current(abort.signal)
        if (!abort.signal.aborted) setHeld({ key, loaded: { state: 'ready', value } })
      } catch (thrown) {
        if (abort.signal.aborted) return
        const refusal = asRefusal(thrown)
        const again = passesByItself(refusal) ? secondsToRetry(refusal, nth) : undefined
        if (again !== undefined) timer = setTimeout(() => void attempt(nth + 1), again * 1000)
        const refused: Loaded<T> = { state: 'refused', refusal, ...(again !== undefined && { retryInSeconds: again }) }
        setHeld((held) =>
          held.key === key && held.loaded.state === 'ready' && again !== undefined ? held : { key, loaded: refused },
        )
      }
    }
    void attempt(0)

    return () => {
      abort.abort()
      clearTimeout(timer)
    }
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- a new round is a new attempt
  }, [key, round, latest])

  const reload = useCallback(() => setRound((round) => round + 1), [])
  const loaded: Loaded<T> = held.key === key ? held.loaded : { state: 'loading' }
  return [loaded, reload] as const
}
