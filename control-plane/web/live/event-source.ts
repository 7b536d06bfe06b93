import type { StateChange } from '@svc/shared/wire/events.api.ts'

const ADDRESS = '/api/events'
/** The delay after a refusal of the server, for example because this person has too many pages open. */
const REFUSED_MS = 30_000
/** The server sends something every two seconds. A connection that is silent for this long is dead. */
const SILENT_MS = 15_000

type Listeners = {
  /** Reports whether the stream is connected. Without it the caller polls. */
  onOpen: (isOpen: boolean) => void
  /** The server has sent every change that was committed before now. */
  onHeard: () => void
  onChanges: (changes: StateChange[]) => void
  /** Changes may have been missed: anything may be different. */
  onMissed: () => void
}

/**
 * Listens for changes on the server while the page is visible, and reconnects by itself. A hidden page holds no
 * connection, because a browser allows only a few for all its tabs. Returns a function that stops it.
 */
export function listenForChanges({ onOpen, onHeard, onChanges, onMissed }: Listeners): () => void {
  const stop = new AbortController()
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  const close = () => {
    clearTimeout(retry)
    clearTimeout(silence)
    source?.close()
    source = undefined
    onOpen(false)
  }
  const open = () => {
    if (source !== undefined || document.visibilityState !== 'visible') return
    const opened = new EventSource(ADDRESS)
    source = opened
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(reopen, SILENT_MS)
      onHeard()
    }
    opened.addEventListener('hello', () => {
      onOpen(true)
      onMissed()
      heard()
    })
    opened.addEventListener('beat', heard)
    opened.addEventListener('resync', onMissed)
    opened.addEventListener('change', ({ data }) => {
      onChanges((JSON.parse(data) as { changes: StateChange[] }).changes)
      heard()
    })
    // The session may have ended. It is read again like everything else.
    opened.addEventListener('end', onMissed)
    opened.addEventListener('error', () => {
      clearTimeout(silence)
      onOpen(false)
      if (opened.readyState !== EventSource.CLOSED || opened !== source) return
      close()
      retry = setTimeout(open, REFUSED_MS)
    })
  }
  const reopen = () => {
    close()
    open()
  }
  const follow = () => (document.visibilityState === 'visible' ? open() : close())

  document.addEventListener('visibilitychange', follow, { signal: stop.signal })
  open()
  return () => {
    stop.abort()
    close()
  }
}
