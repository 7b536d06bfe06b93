type Deps = {
  url: string
  page: Document
  changed: () => void
  /** The host is there, or somebody is at the page and wants it to be. */
  awake: () => void
  /** The host sleeps. */
  asleep: () => void
}

const POLL_MS = 15_000
const STREAM_AGAIN_MS = 60_000
// A burst of changes, as a move of a folder makes it, is one change for the screen.
const GATHER_MS = 150
/** Signs that somebody is at the page. */
const ACTS = ['keydown', 'pointerdown'] as const

/**
 * Tells when something in a vault may have changed: by the daemon's change stream, or by gentle polling where there is
 * none. A hidden page holds no stream, since browsers allow few connections for all tabs together. A daemon that went to
 * sleep is left alone until somebody is at the page again. Returns the function that stops it.
 */
export function watchVault({ url, page, changed, awake, asleep }: Deps): () => void {
  let source: EventSource | undefined
  let poll: ReturnType<typeof setInterval> | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  let isAsleep = false

  /** Somebody who touches the page wants it to be true: that wakes the daemon. */
  const wake = () => {
    for (const act of ACTS) page.removeEventListener(act, wake, true)
    page.defaultView?.removeEventListener('focus', wake)
    isAsleep = false
    if (!page.hidden) open()
    soon()
    awake()
  }

  const sleep = () => {
    close()
    if (isAsleep) return
    isAsleep = true
    asleep()
    for (const act of ACTS) page.addEventListener(act, wake, true)
    page.defaultView?.addEventListener('focus', wake)
  }

  const soon = () => {
    gather ??= setTimeout(() => {
      gather = undefined
      changed()
    }, GATHER_MS)
  }

  const close = () => {
    source?.close()
    source = undefined
    clearInterval(poll)
    clearTimeout(again)
    poll = undefined
  }

  const open = () => {
    close()
    let opened = false
    const stream = new EventSource(url)
    source = stream
    stream.addEventListener('open', () => {
      // What changed while there was no stream is not told by it.
      if (opened) soon()
      opened = true
      awake()
      clearInterval(poll)
      poll = undefined
    })
    for (const kind of ['message', 'change', 'resync']) stream.addEventListener(kind, soon)
    stream.addEventListener('sleep', sleep)
    stream.addEventListener('error', () => {
      poll ??= setInterval(soon, POLL_MS)
      if (stream.readyState !== EventSource.CLOSED) return
      clearTimeout(again)
      again = setTimeout(open, STREAM_AGAIN_MS)
    })
  }

  const follow = () => {
    if (page.hidden) return close()
    if (isAsleep) return wake()
    if (source) return
    open()
    soon()
  }

  page.addEventListener('visibilitychange', follow)
  if (!page.hidden) open()

  return () => {
    page.removeEventListener('visibilitychange', follow)
    for (const act of ACTS) page.removeEventListener(act, wake, true)
    page.defaultView?.removeEventListener('focus', wake)
    clearTimeout(gather)
    close()
  }
}
