import { useEffect, useState } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import type { SearchAnswer } from '../api/daemon-client.ts'
import { useServices } from '../app/services.ts'

export type SearchState =
  | { state: 'idle' }
  | { state: 'searching'; before: SearchAnswer | undefined }
  | { state: 'found'; answer: SearchAnswer; more: () => void }
  | { state: 'refused'; refusal: Refusal }

const PAUSE_MS = 160

/** Searches a short time after the last letter. While it does, what was found before stays on the screen. */
export function useSearch(vaultId: string, query: string): SearchState {
  const { client } = useServices()
  const [search, setSearch] = useState<SearchState>({ state: 'idle' })

  useEffect(() => {
    const q = query.trim()
    if (q === '') return setSearch({ state: 'idle' })
    const abort = new AbortController()

    const run = async (cursor?: string, sofar?: SearchAnswer) => {
      try {
        const found = await client.search(vaultId, { q, ...(cursor !== undefined && { cursor }) }, abort.signal)
        const answer = sofar ? { ...found, hits: [...sofar.hits, ...found.hits] } : found
        setSearch({ state: 'found', answer, more: () => void run(found.nextCursor, answer) })
      } catch (thrown) {
        if (!abort.signal.aborted) setSearch({ state: 'refused', refusal: asRefusal(thrown) })
      }
    }
    setSearch((now) => ({
      state: 'searching',
      before: now.state === 'found' ? now.answer : now.state === 'searching' ? now.before : undefined,
    }))
    const timer = setTimeout(() => void run(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [client, vaultId, query])

  return search
}
