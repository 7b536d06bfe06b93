import { systemClock } from '@svc/shared/kit/clock.ts'
import type { NotePlace } from '@svc/shared/wire/daemon/note-address.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../api.ts'
import { toFailure, type ApiFailure } from '../api-failure.ts'
import { afterRefusal, enterByForm } from './entry.ts'

const HELD_MS = 1500

/** The state of an entry. */
export type EntryState =
  | { state: 'idle' }
  | { state: 'entering' }
  | { state: 'waiting'; because: 'waking' | 'busy' }
  | { state: 'failed'; failure: ApiFailure }

/** The place to open in the vault. `fromPage` replaces the current history entry, for a page that only redirects. */
type Going = NotePlace & { fromPage?: string }

/** Enters a vault: asks for an assertion, waits while the daemon wakes, then leaves for the vault origin. */
export function useEntry(orgSlug: string, vaultSlug: string, { path, heading, fromPage }: Going = {}) {
  const [entry, setEntry] = useState<EntryState>({ state: 'idle' })
  const running = useRef<AbortController>(undefined)

  const cancel = useCallback(() => {
    running.current?.abort()
    running.current = undefined
    setEntry({ state: 'idle' })
  }, [])
  useEffect(() => () => running.current?.abort(), [])

  // The browser may restore this page in the state in which it was left, although no entry is in progress any more.
  useEffect(() => {
    const back = (event: PageTransitionEvent) => event.persisted && cancel()
    addEventListener('pageshow', back)
    return () => removeEventListener('pageshow', back)
  }, [cancel])

  const enter = useCallback(async () => {
    running.current?.abort()
    const stop = new AbortController()
    running.current = stop
    const begin = systemClock.monotonic()
    let waking = false
    setEntry({ state: 'entering' })
    while (!stop.signal.aborted) {
      // The server delays only the response of a waking daemon, so a late response means that the daemon is waking.
      const held = setTimeout(() => {
        if (!stop.signal.aborted) setEntry({ state: 'waiting', because: 'waking' })
      }, HELD_MS)
      try {
        const minted = await api.mintEntry(orgSlug, vaultSlug, stop.signal).finally(() => clearTimeout(held))
        if (fromPage !== undefined) history.replaceState(history.state, '', fromPage)
        enterByForm(minted, { path, heading })
        return
      } catch (error) {
        if (stop.signal.aborted) return
        const failure = toFailure(error)
        const waitedSeconds = (systemClock.monotonic() - begin) / 1000
        const next = afterRefusal(failure, { waitedSeconds, waking })
        if (next.step === 'give-up') return setEntry({ state: 'failed', failure })
        waking ||= next.because === 'waking'
        setEntry({ state: 'waiting', because: next.because })
        await systemClock.sleep(next.seconds * 1000, stop.signal).catch(() => undefined)
      }
    }
  }, [orgSlug, vaultSlug, path, heading, fromPage])

  return { entry, enter, cancel }
}
