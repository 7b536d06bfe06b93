import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { toFailure, type ApiFailure } from '../api-failure.ts'

/** Something read from the API. A refresh that fails keeps the last value and says so in `trouble`. */
export type Resource<T> =
  { state: 'loading' } | { state: 'failed'; failure: ApiFailure } | { state: 'ready'; value: T; trouble?: ApiFailure }

/** What a finished read makes of a resource. */
export function afterRead<T>(before: Resource<T>, read: { value: T } | { failure: ApiFailure }): Resource<T> {
  if ('value' in read) return { state: 'ready', value: read.value }
  if (before.state === 'ready') return { ...before, trouble: read.failure }
  return { state: 'failed', failure: read.failure }
}

type Held<T> = { key: string; resource: Resource<T> }

type Options<T> = {
  /** Milliseconds until the next read, by what is known; undefined: no more. */
  every?: (resource: Resource<T>) => number | undefined
}

/**
 * Reads, and reads again as often as `every` says while the page is visible. `key` names what is read: another key
 * starts afresh.
 */
export function useResource<T>(key: string, read: (signal: AbortSignal) => Promise<T>, { every }: Options<T> = {}) {
  const [held, setHeld] = useState<Held<T>>({ key, resource: { state: 'loading' } })
  const kept = useRef(held)
  const start = useRef<() => void>(undefined)
  const readNow = useEffectEvent(read)
  const waitAfter = useEffectEvent((resource: Resource<T>) => every?.(resource))

  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let newest = 0

    const run = async () => {
      clearTimeout(timer)
      const round = ++newest
      const result = await readNow(stop.signal).then(
        (value) => ({ value }),
        (error: unknown) => ({ failure: toFailure(error) }),
      )
      if (stop.signal.aborted || round !== newest) return
      const resource = afterRead(kept.current.key === key ? kept.current.resource : { state: 'loading' }, result)
      kept.current = { key, resource }
      setHeld(kept.current)
      const wait = waitAfter(resource)
      if (wait !== undefined) timer = setTimeout(whenVisible, wait)
    }
    const whenVisible = () => {
      if (document.visibilityState === 'visible') void run()
      else document.addEventListener('visibilitychange', whenVisible, { once: true, signal: stop.signal })
    }
    start.current = () => void run()
    start.current()

    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [key])

  const reload = useCallback(() => start.current?.(), [])
  const resource: Resource<T> = held.key === key ? held.resource : { state: 'loading' }
  return { resource, reload }
}
