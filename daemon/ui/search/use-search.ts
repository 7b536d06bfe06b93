import { useEffect, useState } from 'react'
import type { SearchAnswer } from '../api/daemon-client.ts'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { useUntilWhole } from '../api/use-until-whole.ts'
import { useServices } from '../app/services.ts'

type SearchState =
  | { state: 'idle' }
  | { state: 'searching'; before: SearchAnswer | undefined }
  | { state: 'found'; answer: SearchAnswer; more: () => void }
  | { state: 'refused'; refusal: Refusal }

/** `first` is the first page of results and how to search for it again, until somebody asks for more. */
type Held = { q: string; search: SearchState; first?: { answer: SearchAnswer; again: () => void } }

const PAUSE_MS = 160
const nothing = () => {}

/**
 * Searches shortly after the last letter. The previous results stay on the screen meanwhile. An incomplete first page is
 * searched for again; if that fails, it stays.
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

    const run = async (cursor?: string, sofar?: SearchAnswer) => {
      const nth = ++latest
      const again = () => void run()
      try {
        const found = await client.search(vaultId, { q, ...(cursor !== undefined && { cursor }) }, abort.signal)
        if (nth !== latest) return
        const answer = sofar ? { ...found, hits: [...sofar.hits, ...found.hits] } : found
        const more = () => {
          setHeld(({ q, search }) => ({ q, search }))
          void run(found.nextCursor, answer)
        }
        setHeld({ q, search: { state: 'found', answer, more }, ...(!sofar && { first: { answer, again } }) })
      } catch (thrown) {
        if (abort.signal.aborted || nth !== latest) return
        const refused: Held = { q, search: { state: 'refused', refusal: asRefusal(thrown) } }
        setHeld((held) => (held.q === q && held.first ? { ...held, first: { ...held.first, again } } : refused))
      }
    }
    const timer = setTimeout(() => void run(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [client, vaultId, q])

  if (q === '') return { state: 'idle' }
  if (held.q === q) return held.search
  return { state: 'searching', before: held.search.state === 'found' ? held.search.answer : undefined }
}
