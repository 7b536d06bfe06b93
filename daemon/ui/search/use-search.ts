import { useEffect, useState } from 'react'
import type { SearchAnswer } from '../api/daemon-client.ts'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { useServices } from '../app/services.ts'

type SearchState =
  | { state: 'idle' }
  | { state: 'searching'; before: SearchAnswer | undefined }
  | { state: 'found'; answer: SearchAnswer; more: () => void }
  | { state: 'refused'; refusal: Refusal }

const PAUSE_MS = 160

/** Searches shortly after the last letter. The previous results stay on the screen meanwhile. */
export function useSearch(vaultId: string, query: string): SearchState {
  const { client } = useServices()
  const q = query.trim()
  const [held, setHeld] = useState<{ q: string; search: SearchState }>({ q: '', search: { state: 'idle' } })

  useEffect(() => {
    if (q === '') return
    const abort = new AbortController()

    const run = async (cursor?: string, sofar?: SearchAnswer) => {
      try {
        const found = await client.search(vaultId, { q, ...(cursor !== undefined && { cursor }) }, abort.signal)
        const answer = sofar ? { ...found, hits: [...sofar.hits, ...found.hits] } : found
        setHeld({ q, search: { state: 'found', answer, more: () => void run(found.nextCursor, answer) } })
      } catch (thrown) {
        if (!abort.signal.aborted) setHeld({ q, search: { state: 'refused', refusal: asRefusal(thrown) } })
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
