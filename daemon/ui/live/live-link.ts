// Connection, text and save state of one note are one state machine; taken apart, each part would need to know the others.
import { ChangeSet } from '@codemirror/state'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { liveLimits, type DaemonMessage, type LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import { textChanges } from '../../src/edits/text-changes.ts'
import { arrivingText, type ArrivingText } from './arriving-text.ts'
import { LiveText, type Unsent } from './live-text.ts'
import { movedCursors, NOBODY, presenceOf, type LiveView, type RemoteCursor, type TextChanged } from './live-view.ts'
import { reconnectingSocket, type Socket } from './reconnecting-socket.ts'
import { saveStateOf } from './save-state.ts'
import { namedTimers } from './timers.ts'

type Options = {
  openSocket(path: string): Socket
  path: string
  /** A new client, or one with the text that it has of the note and perhaps unsent changes. */
  client: string | Unsent
  /** Called with what must be kept, undefined when nothing needs to be. Answers whether that could be done. */
  keep(unsent: Unsent | undefined): Promise<boolean>
  /** Called when a connection has ended without a word that explains it. */
  onLost?: () => void
  /** Whether nobody looks at the page: then nothing is connected again that has nothing to send. */
  isHidden?: () => boolean
}

export type LiveLink = ReturnType<typeof liveLink>

const PUSH_EVERY_MS = 30
const CURSOR_EVERY_MS = 100
const KEEP_EVERY_MS = 250
// Writing down a text of this length would be felt while typing, so it is done less often.
const LARGE = 500_000
const KEEP_LARGE_EVERY_MS = 2000
const FIRST_RETRY_MS = 250
// Nobody waits for anything. A host that went to sleep says so before this is over, and is not woken by an open page.
const IDLE_RETRY_MS = 5000
const MAX_RETRY_MS = 15_000
// Refusals that the same words would meet again: 400, 403, 404, 413.
const FINAL = new Set([4400, 4403, 4404, 4413])
const batch = { updates: liveLimits.maxUpdates, characters: liveLimits.maxInserted }

/** The client of one open note: connects, sends, receives, comes back after every break, and loses nothing typed. */
export function liveLink({ openSocket, path, client, keep, onLost = () => {}, isHidden = () => false }: Options) {
  const listeners = new Set<() => void>()
  const editors = new Set<(change: TextChanged) => void>()
  const timers = namedTimers()
  const kept = typeof client === 'string' ? undefined : client
  let text = kept && new LiveText(kept)
  const clientId = kept?.clientId ?? (client as string)
  let view: LiveView = {
    save: { state: 'loading' },
    path,
    you: undefined,
    presence: NOBODY,
    clash: kept?.clash,
    canKeep: true,
  }
  /** `behind`: connected, and updates that came without us are on their way. Nothing is sent before they are here. */
  let phase: 'offline' | 'hello' | 'text' | 'behind' | 'ready' | 'refused' | 'gone' | 'closed' = 'offline'
  let arriving: ArrivingText | undefined
  let inFlight = false
  let attempts = 0
  let lastSent = Number.NEGATIVE_INFINITY
  let durable: { version: number; at: string } | undefined
  let failure: string | undefined
  let end: { who: LiveWho | undefined; rescued: boolean } | undefined
  let isPaused = false
  let caret: { anchor: number; head: number } | undefined
  /** Counts the changes of what must be kept; what was kept last is the state of that number. */
  let changed = 0
  let keptAt = 0
  let isStored = kept !== undefined

  const show = (change: Partial<LiveView>) => {
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }
  const hasUnsent = () => (text?.hasUnsent ?? false) || view.clash !== undefined
  const saveState = () =>
    saveStateOf({
      phase:
        phase === 'ready' || phase === 'refused' || phase === 'gone' ? phase : phase === 'offline' ? phase : 'joining',
      attempts,
      hasUnsent: hasUnsent(),
      hasConflict: view.clash !== undefined,
      failure,
      version: text?.version ?? 0,
      durable,
      end,
    })
  const showSave = (change: Partial<LiveView> = {}) => {
    view = { ...view, ...change }
    show({ save: saveState() })
  }
  const tellEditors = (change: TextChanged) => {
    if (!change.changes.empty) for (const editor of editors) editor(change)
  }

  async function keepNow(): Promise<void> {
    timers.cancel('keep')
    if (!hasUnsent() && !isStored) return void (keptAt = changed)
    const at = changed
    const unsent = hasUnsent() && text ? { ...text.unsent(), ...(view.clash ? { clash: view.clash } : {}) } : undefined
    isStored = unsent !== undefined
    const canKeep = await keep(unsent)
    if (canKeep) keptAt = Math.max(keptAt, at)
    if (canKeep !== view.canKeep) show({ canKeep })
  }
  const keepSoon = () => {
    changed += 1
    if (!hasUnsent()) void keepNow()
    else timers.later('keep', text!.text.length > LARGE ? KEEP_LARGE_EVERY_MS : KEEP_EVERY_MS, () => void keepNow())
  }

  const socket = reconnectingSocket({
    open: () => openSocket(view.path),
    timers,
    connected() {
      phase = 'hello'
      const known = text && text.epoch !== '' ? { epoch: text.epoch, version: text.version } : {}
      socket.send({ type: 'hello', clientId, ...known })
    },
    received(message) {
      if (arriving && message.type === 'text') {
        if (arriving.take(message.part)) takeWhole()
      } else if (arriving && message.type !== 'welcome') arriving.early.push(message)
      else take(message)
    },
    lost({ code, reason }) {
      const wasRefused = inFlight && (code === 4400 || code === 4413)
      inFlight = false
      arriving = undefined
      if (wasRefused) text?.compact()
      if (phase === 'gone' || phase === 'closed') return undefined
      const isFinal = FINAL.has(code)
      phase = isFinal ? 'refused' : 'offline'
      if (isFinal) failure = reason
      else attempts += 1
      showSave({ presence: NOBODY })
      if (isFinal) return undefined
      onLost()
      if ((isPaused || isHidden()) && !hasUnsent()) return undefined
      const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2)
      return hasUnsent() ? wait : Math.max(IDLE_RETRY_MS, wait)
    },
  })

  const push = () => {
    if (phase !== 'ready' || inFlight || !text?.hasUnsent) return
    const wait = lastSent + PUSH_EVERY_MS - systemClock.monotonic()
    if (wait > 0) return timers.later('push', wait, push)
    inFlight = true
    lastSent = systemClock.monotonic()
    socket.send({ type: 'push', ...text.sendable(batch) })
  }

  function take(message: DaemonMessage): void {
    switch (message.type) {
      case 'welcome':
        attempts = 0
        failure = undefined
        durable = message.durable
        show({ you: message.you, path: message.path })
        if (message.resumed) {
          phase = 'behind'
          if (text?.version === message.version) ready()
          return
        }
        phase = 'text'
        arriving = arrivingText(message)
        if (message.parts === 0) takeWhole()
        return
      case 'updates':
        return takeUpdates(message)
      case 'durable':
        durable = message
        failure = undefined
        return showSave()
      case 'failed':
        failure = message.code
        return showSave()
      case 'people':
        return show({ presence: presenceOf(message.people, view.presence.cursors) })
      case 'cursor': {
        if (message.id === view.you || !text) return
        const { people, cursors } = view.presence
        return show({ presence: { people, cursors: new Map(cursors).set(message.id, placed(message)) } })
      }
      case 'moved':
        return show({ path: message.path })
      case 'gone':
        phase = 'gone'
        end = { who: message.who, rescued: message.rescued }
        return showSave({ presence: NOBODY })
      case 'text':
        return
    }
  }

  const placed = ({ anchor, head }: { anchor: number; head: number }): RemoteCursor => ({
    anchor: text!.place(anchor),
    head: text!.place(head),
    at: systemClock.monotonic(),
  })

  function takeWhole(): void {
    const { welcome, early } = arriving!
    const { epoch, version, accepted } = welcome
    const whole = arriving!.text()
    arriving = undefined
    if (!text) text = new LiveText({ clientId, epoch, version, acked: accepted, confirmed: whole, pending: [] })
    else {
      const { changes, clash } = text.replace({ epoch, version, accepted, text: whole })
      if (clash) show({ clash })
      tellEditors({ origin: 'remote', changes, who: undefined, client: undefined })
    }
    socket.send({ type: 'loaded', version, length: whole.length })
    ready()
    for (const message of early) take(message)
  }

  function ready(): void {
    phase = 'ready'
    showSave()
    keepSoon()
    push()
  }

  function takeUpdates(message: Extract<DaemonMessage, { type: 'updates' }>): void {
    if (!text) return
    try {
      if (message.updates.some(({ client: by }) => by === clientId)) inFlight = false
      for (const { changes, client: by, who } of text.receive(message)) {
        movedCursors(view.presence, changes)
        tellEditors({ origin: 'remote', changes, who: who ?? whoOf(by), client: by })
      }
    } catch {
      // Something is missing or does not fit: the whole text puts it right.
      return socket.drop(4409)
    }
    if (phase === 'behind') return ready()
    showSave()
    keepSoon()
    push()
  }

  const whoOf = (by: string) => view.presence.people.find((person) => person.client === by)?.who

  function edit(changes: ChangeSet): void {
    if (!text || changes.empty) return
    text.edit(changes)
    movedCursors(view.presence, changes)
    showSave()
    keepSoon()
    push()
    if (phase === 'offline' && isPaused) retry()
  }

  /** Goes over to another text, also in the editor. */
  function change(next: (now: string) => string): void {
    if (!text) return
    const now = text.text.toString()
    const changes = ChangeSet.of(textChanges(now, next(now)), now.length, '\n')
    tellEditors({ origin: 'own', changes })
    edit(changes)
  }

  function retry(): void {
    isPaused = false
    attempts = Math.min(attempts, 1)
    if (phase === 'refused') {
      phase = 'offline'
      failure = undefined
      showSave()
    }
    if (phase === 'offline') socket.connect()
  }

  if (text) view = { ...view, save: saveState() }
  socket.connect()

  return {
    clientId,
    current: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Called with every change that the editor did not make. */
    follow: (editor: (change: TextChanged) => void) => {
      editors.add(editor)
      return () => void editors.delete(editor)
    },
    /** The text, undefined until it has been loaded. */
    text: () => text?.text,
    /** Takes a change that the editor has made. */
    edit,
    change,
    /** Ends a conflict with the text that the person has chosen. */
    settle: (chosen: string) => {
      view = { ...view, clash: undefined }
      change(() => chosen)
      showSave()
      keepSoon()
    },
    /** Shows the others where the caret is. */
    cursor: (anchor: number, head: number) => {
      caret = { anchor, head }
      timers.later('cursor', CURSOR_EVERY_MS, () => {
        if (phase !== 'ready' || !caret || !text) return
        const [at, to] = [text.confirmedPlace(caret.anchor), text.confirmedPlace(caret.head)]
        socket.send({ type: 'cursor', version: text.version, anchor: at, head: to })
      })
    },
    /** Connects at once instead of after the pause: the network is back, or the person says so. */
    retry,
    /** The host sleeps: it is left alone until there is something to send, or somebody is at the page again. */
    pause: () => {
      isPaused = true
      if (!hasUnsent()) timers.cancel('retry')
    },
    /** Writes down what is unsent now: the page may be about to go. */
    keepNow,
    hasUnsent,
    /** Whether everything that is unsent is written down on this device. */
    isKept: () => !hasUnsent() || keptAt === changed,
    /** Ends, and forgets what is unsent. */
    discard: async () => {
      phase = 'closed'
      timers.cancelAll()
      socket.stop()
      await keep(undefined)
    },
    close: async () => {
      if (phase === 'closed') return
      if (phase === 'ready' && !hasUnsent()) socket.send({ type: 'bye' })
      const last = keepNow()
      phase = 'closed'
      timers.cancelAll()
      socket.stop()
      await last
    },
  }
}
