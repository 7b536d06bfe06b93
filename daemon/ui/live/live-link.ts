// Connection, text and save state of one note are one state machine; taken apart, each part would need to know the others.
import type { ChangeSet } from '@codemirror/state'
import {
  DaemonMessage,
  liveLimits,
  type ClientMessage,
  type LivePerson,
  type LiveWho,
} from '@svc/shared/wire/daemon/live-messages.ts'
import { LiveText, type Unsent } from './live-text.ts'

/** What of a WebSocket is used. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener'>

/**
 * How a note stands between here and its file. `offline`: not connected, and what is typed stays here; `saving`: sent,
 * not confirmed; `saved`: it survives a crash of the daemon; `durable`: it is in the note file; `failed`: the file
 * cannot be written, or the daemon refuses what was typed.
 */
export type SaveState =
  | { state: 'loading' | 'saving' | 'saved' }
  | { state: 'offline'; hasUnsent: boolean }
  | { state: 'durable'; at: string }
  | { state: 'failed'; code: string; hasUnsent: boolean }
  | { state: 'gone'; who: LiveWho | undefined; rescued: boolean }

export type RemoteCursor = { anchor: number; head: number; at: number }

/** What the screen shows of a live note besides its text. */
export type LiveView = {
  save: SaveState
  path: string
  you: string | undefined
  people: readonly LivePerson[]
  cursors: ReadonlyMap<string, RemoteCursor>
  /** Our text from before it met a rewrite by somebody else: the merge may have put words in odd places. */
  setAside: string | undefined
}

/** A change of the text by somebody else, for the editor. */
export type RemoteChange = { changes: ChangeSet; who: LiveWho | undefined }

type Options = {
  openSocket(path: string): Socket
  path: string
  /** A new client, or one that was kept with unsent text. */
  client: string | Unsent
  /** Called with what must be kept, undefined when nothing needs to be. */
  keep(unsent: Unsent | undefined): void
  timers?: { set(run: () => void, ms: number): unknown; clear(timer: unknown): void }
  now?: () => number
}

export type LiveLink = ReturnType<typeof liveLink>

const PUSH_EVERY_MS = 30
const CURSOR_EVERY_MS = 100
const KEEP_EVERY_MS = 250
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 15_000
// Refusals that the same words would meet again: 400, 403, 404, 413.
const FINAL = new Set([4400, 4403, 4404, 4413])
const batch = { updates: liveLimits.maxUpdates, characters: liveLimits.maxInserted }
const browserTimers = {
  set: (run: () => void, ms: number): unknown => setTimeout(run, ms),
  clear: (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

/** The client of one open note: connects, sends, receives, comes back after every break, and loses nothing typed. */
export function liveLink({ openSocket, path, client, keep, timers = browserTimers, now = Date.now }: Options) {
  const listeners = new Set<() => void>()
  const editors = new Set<(change: RemoteChange) => void>()
  let text = typeof client === 'string' ? undefined : new LiveText(client)
  const clientId = typeof client === 'string' ? client : client.clientId
  let view: LiveView = {
    save: { state: 'loading' },
    path,
    you: undefined,
    people: [],
    cursors: new Map(),
    setAside: undefined,
  }
  let socket: Socket | undefined
  /** `behind`: connected, and updates that came without us are on their way. Nothing is sent before they are here. */
  let phase: 'offline' | 'hello' | 'text' | 'behind' | 'ready' | 'ended' = 'offline'
  let arriving:
    { welcome: Extract<DaemonMessage, { type: 'welcome' }>; parts: string[]; early: DaemonMessage[] } | undefined
  let inFlight = false
  let attempts = 0
  let lastSent = Number.NEGATIVE_INFINITY
  let durable: { version: number; at: string } | undefined
  let failure: string | undefined
  const waiting = new Map<'retry' | 'push' | 'cursor' | 'keep', unknown>()
  let caret: { anchor: number; head: number } | undefined

  const later = (name: 'retry' | 'push' | 'cursor' | 'keep', ms: number, run: () => void) => {
    if (waiting.has(name)) return
    const fire = () => {
      waiting.delete(name)
      run()
    }
    waiting.set(name, timers.set(fire, ms))
  }
  const cancel = (name: 'retry' | 'push' | 'cursor' | 'keep') => {
    timers.clear(waiting.get(name))
    waiting.delete(name)
  }

  const show = (change: Partial<LiveView>) => {
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }
  const saveState = (): SaveState => {
    const hasUnsent = text?.hasUnsent ?? false
    if (view.save.state === 'gone') return view.save
    if (failure !== undefined) return { state: 'failed', code: failure, hasUnsent }
    if (phase !== 'ready') return text ? { state: 'offline', hasUnsent } : { state: 'loading' }
    if (hasUnsent) return { state: 'saving' }
    return durable && durable.version >= text!.version ? { state: 'durable', at: durable.at } : { state: 'saved' }
  }
  const showSave = () => show({ save: saveState() })
  const tellEditors = (changes: ChangeSet, who?: LiveWho) => {
    if (!changes.empty) for (const editor of editors) editor({ changes, who })
  }
  const keepSoon = () => {
    if (!text?.hasUnsent) {
      cancel('keep')
      keep(undefined)
    } else later('keep', KEEP_EVERY_MS, () => keep(text?.hasUnsent ? text.unsent() : undefined))
  }

  const send = (message: ClientMessage) => socket?.send(JSON.stringify(message))

  const push = () => {
    if (phase !== 'ready' || inFlight || !text?.hasUnsent) return
    const wait = lastSent + PUSH_EVERY_MS - now()
    if (wait > 0) return later('push', wait, push)
    inFlight = true
    lastSent = now()
    send({ type: 'push', ...text.sendable(batch) })
  }

  function connect(): void {
    if (phase === 'ended') return
    cancel('retry')
    const opened = openSocket(view.path)
    socket = opened
    opened.addEventListener('open', () => {
      phase = 'hello'
      send({ type: 'hello', clientId, ...(text ? { epoch: text.epoch, version: text.version } : {}) })
    })
    opened.addEventListener('message', ({ data }) => {
      if (socket === opened) receive(String(data))
    })
    opened.addEventListener('close', ({ code }) => {
      if (socket === opened) disconnected(code)
    })
    // The closing tells what there is to know; without a listener some sockets throw.
    opened.addEventListener('error', () => {})
  }

  function disconnected(code: number): void {
    socket = undefined
    inFlight = false
    arriving = undefined
    if (phase === 'ended') return
    phase = 'offline'
    if (FINAL.has(code)) {
      failure = String(code - 4000)
      return showSave()
    }
    show({ people: [], cursors: new Map(), save: saveState() })
    const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts++)
    later('retry', wait * (0.5 + Math.random() / 2), connect)
  }

  function receive(data: string): void {
    const message = parse(data)
    if (message === undefined) return socket?.close(4400)
    if (arriving && message.type === 'text') return takePart(message.part)
    if (arriving && message.type !== 'welcome') return void arriving.early.push(message)
    take(message)
  }

  function take(message: DaemonMessage): void {
    switch (message.type) {
      case 'welcome':
        attempts = 0
        failure = undefined
        durable = message.durable
        show({ you: message.you, path: message.path })
        if (message.resumed && text?.version === message.version) return ready()
        phase = message.resumed ? 'behind' : 'text'
        if (message.resumed) return
        arriving = { welcome: message, parts: [], early: [] }
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
        return show({ people: message.people, cursors: stillHere(message.people) })
      case 'cursor':
        if (message.id === view.you || !text) return
        return show({ cursors: new Map(view.cursors).set(message.id, placed(message)) })
      case 'moved':
        return show({ path: message.path })
      case 'gone':
        phase = 'ended'
        return show({ save: { state: 'gone', who: message.who, rescued: message.rescued } })
      case 'text':
        return
    }
  }

  const stillHere = (people: readonly LivePerson[]) =>
    new Map([...view.cursors].filter(([id]) => people.some((person) => person.id === id)))
  const placed = ({ anchor, head }: { anchor: number; head: number }): RemoteCursor => ({
    anchor: text!.place(anchor),
    head: text!.place(head),
    at: now(),
  })

  function takePart(part: string): void {
    arriving!.parts.push(part)
    if (arriving!.parts.length === arriving!.welcome.parts) takeWhole()
  }

  function takeWhole(): void {
    const { welcome, parts, early } = arriving!
    const { epoch, version, accepted } = welcome
    arriving = undefined
    const whole = parts.join('')
    if (!text) text = new LiveText({ clientId, epoch, version, acked: accepted, confirmed: whole, pending: [] })
    else {
      const mine = text.text.toString()
      const { changes, isUncertain } = text.replace({ epoch, version, accepted, text: whole })
      tellEditors(changes)
      if (isUncertain) show({ setAside: mine })
    }
    send({ type: 'loaded', version, length: whole.length })
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
      const others = message.updates.find(({ client: by }) => by !== clientId)
      const changes = text.receive(message)
      moveCursors(changes)
      tellEditors(changes, others?.who)
    } catch {
      // Something is missing or does not fit: the whole text puts it right.
      return socket?.close(4409)
    }
    if (phase === 'behind') return ready()
    showSave()
    keepSoon()
    push()
  }

  function moveCursors(changes: ChangeSet): void {
    if (view.cursors.size === 0 || changes.empty) return
    const move = ({ anchor, head, at }: RemoteCursor) => ({
      anchor: changes.mapPos(anchor),
      head: changes.mapPos(head),
      at,
    })
    view = { ...view, cursors: new Map([...view.cursors].map(([id, cursor]) => [id, move(cursor)])) }
  }

  connect()

  return {
    current: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Called with every change that comes from elsewhere. */
    follow: (editor: (change: RemoteChange) => void) => {
      editors.add(editor)
      return () => void editors.delete(editor)
    },
    /** The text, undefined until it has been loaded. */
    text: () => text?.text,
    edit: (changes: ChangeSet) => {
      if (!text || changes.empty) return
      text.edit(changes)
      moveCursors(changes)
      showSave()
      keepSoon()
      push()
    },
    /** Shows the others where the caret is. */
    cursor: (anchor: number, head: number) => {
      caret = { anchor, head }
      later('cursor', CURSOR_EVERY_MS, () => {
        if (phase !== 'ready' || !caret || !text) return
        const [at, to] = [text.confirmedPlace(caret.anchor), text.confirmedPlace(caret.head)]
        send({ type: 'cursor', version: text.version, anchor: at, head: to })
      })
    },
    /** Connects at once instead of after the pause: the network is back, or the person says so. */
    retry: () => {
      attempts = 0
      failure = undefined
      if (phase === 'offline' && !socket) connect()
    },
    /** Writes down what is unsent now: the page may be about to go. */
    keepNow: () => keep(text?.hasUnsent ? text.unsent() : undefined),
    forgetSetAside: () => show({ setAside: undefined }),
    hasUnsent: () => text?.hasUnsent ?? false,
    close: () => {
      if (phase === 'ready' && !text?.hasUnsent) send({ type: 'bye' })
      keep(text?.hasUnsent ? text.unsent() : undefined)
      phase = 'ended'
      for (const name of waiting.keys()) cancel(name)
      socket?.close(1000)
      socket = undefined
    },
  }
}

function parse(data: string): DaemonMessage | undefined {
  try {
    return DaemonMessage.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
