import { useEffect, useState } from 'react'
import type { SearchAnswer } from '../api/daemon-client.ts'
import { asRefusal, passesByItself, secondsToRetry, type Refusal } from '../api/refusal.ts'
import { useUntilWhole } from '../api/use-until-whole.ts'
import { useServices } from '../app/services.ts'

type SearchState =
  | { state: 'idle' }
  | { state: 'searching'; before: SearchAnswer | undefined }
  /** `failure` says why the next page could not be loaded. */
  | { state: 'found'; answer: SearchAnswer; more: () => void; failure?: Refusal }
  | { state: 'refused'; refusal: Refusal }

/** The next page of a search, and the results before it. */
type NextPage = { cursor: string | undefined; sofar: SearchAnswer }

/** `first` is the first page of results and how to search for it again, until somebody asks for more. */
type Held = { q: string; search: SearchState; first?: { answer: SearchAnswer; again: () => void } }

const PAUSE_MS = 160
const nothing = () => {}

/**
 * Searches shortly after the last letter. The previous results stay on the screen meanwhile. An incomplete first page is
 * searched for again; if that fails, it stays. A temporary failure is retried after the time that the daemon asked for.
 */
export function useSearch(vaultId: string, query: string): SearchState {
  const { client } = useServices()
  const q = query.trim()
  const [held, setHeld] = useState<Held>({ q: '', search: { state: 'idle' } })
  const first = held.q === q ? held.first : undefined
  useUntilWhole(first?.answer, first?.again ?? nothing)

  useEffect(() => {
    if (q === '') return
    const abort = new AbortController()
    let latest = 0
    let timer: ReturnType<typeof setTimeout> | undefined

    const run = async (next?: NextPage, attempt = 0) => {
      const nth = ++latest
      clearTimeout(timer)
      const again = () => void run()
      try {
        const found = await client.search(vaultId, { q, ...(next?.cursor && { cursor: next.cursor }) }, abort.signal)
        if (nth !== latest) return
        const answer = next ? { ...found, hits: [...next.sofar.hits, ...found.hits] } : found
        const more = () => {
          setHeld(({ q, search }) => ({ q, search }))
          void run({ cursor: found.nextCursor, sofar: answer })
        }
        setHeld({ q, search: { state: 'found', answer, more }, ...(!next && { first: { answer, again } }) })
      } catch (thrown) {
        if (abort.signal.aborted || nth !== latest) return
        const refusal = asRefusal(thrown)
        if (passesByItself(refusal))
          timer = setTimeout(() => void run(next, attempt + 1), 1000 * secondsToRetry(refusal, attempt))
        setHeld((held) => {
          if (held.q !== q || held.search.state !== 'found') return { q, search: { state: 'refused', refusal } }
          if (next) return { ...held, search: { ...held.search, failure: refusal } }
          return { ...held, ...(held.first && { first: { ...held.first, again } }) }
        })
      }
    }
    timer = setTimeout(() => void run(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [client, vaultId, q])

  if (q === '') return { state: 'idle' }
  if (held.q === q) return held.search
  return { state: 'searching', before: held.search.state === 'found' ? held.search.answer : undefined }
}
