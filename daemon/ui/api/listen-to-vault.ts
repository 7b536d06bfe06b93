type Deps = {
  url: string
  page: Document
  changed: () => void
  /** A new stream has begun; it reports the changes after this one. */
  begun: (lastEventId: string) => void
  /** The host is awake, or the person is active and needs it awake. */
  awake: () => void
  /** The host sleeps. */
  asleep: () => void
}

const POLL_MS = 15_000
const STREAM_AGAIN_MS = 60_000
// A host that was just asked to wake keeps reporting that it sleeps until it is awake.
const WAKING_MS = 60_000
// Somebody else may have woken the host. Opening the stream does not wake it.
const ASLEEP_AGAIN_MS = 30_000
const WAKING_AGAIN_MS = 2000
// A burst of changes, such as the move of a folder, becomes one update of the screen.
const GATHER_MS = 150
// The daemon sends a sign of life every 15 seconds. A stream that is silent for this long is dead.
const SILENT_MS = 40_000
/** Events that show that the person is active. */
const ACTS = ['keydown', 'pointerdown'] as const

/**
 * Reports when something in a vault may have changed: from the daemon's change stream, or by slow polling without one.
 * A hidden page holds no stream, because browsers allow only a few connections for all tabs together. A sleeping daemon
 * is left asleep until the person is active again. Returns a function that stops listening.
 */
export function watchVault({ url, page, changed, begun, awake, asleep }: Deps): () => void {
  let source: EventSource | undefined
  let poll: ReturnType<typeof setInterval> | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let waking: ReturnType<typeof setTimeout> | undefined
  let isAsleep = false

  const noLongerAsleep = () => {
    for (const act of ACTS) page.removeEventListener(act, wake, true)
    page.defaultView?.removeEventListener('focus', wake)
    isAsleep = false
  }

  /** A person who uses the page needs current content, so this wakes the daemon. */
  const wake = () => {
    noLongerAsleep()
    clearTimeout(waking)
    waking = setTimeout(() => (waking = undefined), WAKING_MS)
    if (!page.hidden) open()
    soon()
    awake()
  }

  const sleep = () => {
    close()
    if (waking !== undefined) {
      again = setTimeout(open, WAKING_AGAIN_MS)
      return
    }
    // Cancel the pending update: its requests would wake the host.
    clearTimeout(gather)
    gather = undefined
    if (!page.hidden) again = setTimeout(open, ASLEEP_AGAIN_MS)
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
    clearTimeout(silence)
    poll = undefined
  }

  const open = () => {
    close()
    let wasHeard = false
    let isNew = true
    const stream = new EventSource(url)
    source = stream
    stream.addEventListener('open', () => {
      isNew = true
      clearInterval(poll)
      poll = undefined
    })
    /**
     * An open stream does not prove that the host is awake: its first message may be that the host sleeps. Only a
     * message from the host itself proves it.
     */
    const heard = () => {
      if (!isNew) return
      isNew = false
      clearTimeout(waking)
      waking = undefined
      // The stream does not report what changed while it was closed.
      if (wasHeard || isAsleep) soon()
      wasHeard = true
      noLongerAsleep()
      awake()
    }
    for (const kind of ['message', 'change', 'resync'])
      stream.addEventListener(kind, () => {
        heard()
        soon()
      })
    stream.addEventListener('alive', () => {
      heard()
      clearTimeout(silence)
      silence = setTimeout(revive, SILENT_MS)
    })
    stream.addEventListener('hello', ({ lastEventId }) => begun(lastEventId))
    stream.addEventListener('sleep', sleep)
    stream.addEventListener('error', () => {
      clearTimeout(silence)
      poll ??= setInterval(soon, POLL_MS)
      if (stream.readyState !== EventSource.CLOSED) return
      clearTimeout(again)
      again = setTimeout(open, STREAM_AGAIN_MS)
    })
  }

  const openAgain = () => {
    open()
    soon()
  }

  const revive = () => {
    openAgain()
    silence = setTimeout(revive, SILENT_MS)
  }

  const follow = () => {
    if (page.hidden) return close()
    if (isAsleep) return wake()
    if (!source) openAgain()
  }

  page.addEventListener('visibilitychange', follow)
  if (!page.hidden) open()

  return () => {
    page.removeEventListener('visibilitychange', follow)
    for (const act of ACTS) page.removeEventListener(act, wake, true)
    page.defaultView?.removeEventListener('focus', wake)
    clearTimeout(gather)
    clearTimeout(waking)
    close()
  }
}
