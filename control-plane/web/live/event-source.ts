import type { StateChange } from '@svc/shared/wire/events.api.ts'

const ADDRESS = '/api/events'
/** Until the next try where the server refuses, such as when this person has too many pages open. */
const REFUSED_MS = 30_000

type Listeners = {
  /** The stream is there, or is not: then the caller asks by itself. */
  onOpen: (isOpen: boolean) => void
  onChanges: (changes: StateChange[]) => void
  /** Anything may have changed. */
  onMissed: () => void
}

/**
 * Listens to what changes on the server while the page is visible, and connects again by itself. A hidden page holds no
 * connection, since a browser allows few of them for all its tabs. Returns how to stop.
 */
export function listenForChanges({ onOpen, onChanges, onMissed }: Listeners): () => void {
  const stop = new AbortController()
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  const close = () => {
    clearTimeout(retry)
    source?.close()
    source = undefined
    onOpen(false)
  }
  const open = () => {
    if (source !== undefined || document.visibilityState !== 'visible') return
    const opened = new EventSource(ADDRESS)
    source = opened
    opened.addEventListener('hello', () => {
      onOpen(true)
      onMissed()
    })
    opened.addEventListener('resync', onMissed)
    opened.addEventListener('change', ({ data }) => onChanges((JSON.parse(data) as { changes: StateChange[] }).changes))
    // The session may be over: that is read again like everything else.
    opened.addEventListener('end', onMissed)
    opened.addEventListener('error', () => {
      onOpen(false)
      if (opened.readyState !== EventSource.CLOSED || opened !== source) return
      close()
      retry = setTimeout(open, REFUSED_MS)
    })
  }
  const follow = () => (document.visibilityState === 'visible' ? open() : close())

  document.addEventListener('visibilitychange', follow, { signal: stop.signal })
  open()
  return () => {
    stop.abort()
    close()
  }
}
