import { ChangeSet, Text } from '@codemirror/state'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { textChanges } from '../../src/edits/text-changes.ts'
import { stringOf } from '../../src/edits/whole-text.ts'
import { keepUnsent } from './keep-unsent.ts'
import { linkState } from './link-state.ts'
import { linkSubscribers, type Editor } from './link-subscribers.ts'
import type { Unsent } from './live-text.ts'
import { moveCursors, NOBODY, type TextChanged } from './live-view.ts'
import { receiveMessages } from './receive-messages.ts'
import { isFinalClose, isStorageFailure, reconnectDelay } from './reconnect-delay.ts'
import { reconnectingSocket, type Socket } from './reconnecting-socket.ts'
import { namedTimers } from './timers.ts'
import { watchSilence } from './watch-silence.ts'

type Options = {
  openSocket(path: string, how: { isUnattended: boolean }): Socket
  path: string
  /** A new client, or a known one with its text of the note and any unsent changes. */
  client: string | Unsent
  /** Stores the unsent changes, or deletes them when given undefined. Resolves to whether that succeeded. */
  keep(unsent: Unsent | undefined): Promise<boolean>
  /** Called when a connection has ended without a message that explains it. */
  onLost?: () => void
  /** Whether the page is in the background. A background page with nothing to send does not reconnect. */
  isHidden?: () => boolean
}

export type LiveLink = ReturnType<typeof liveLink>

const PUSH_EVERY_MS = 30
const CURSOR_EVERY_MS = 100
const batch = {
  updates: liveLimits.maxUpdates,
  characters: liveLimits.maxInserted,
  sections: liveLimits.maxPushSections,
}

/** The client of one open note: connects, sends, receives, reconnects after every break, and loses no typed text. */
export function liveLink({ openSocket, path, client, keep, onLost = () => {}, isHidden = () => false }: Options) {
  const { viewChanged, textChanged: tellEditors, ...subscribers } = linkSubscribers()
  const timers = namedTimers()
  const state = linkState({ path, client, viewChanged })
  /** The person waits for the connection: they opened the note, or came back to it. */
  let isWaitedFor = true
  let lastSent = Number.NEGATIVE_INFINITY
  let caret: { anchor: number; head: number } | undefined
  /** The others have not received the current caret, or received a position without the text typed here. */
  let isCaretBehind = false

  const unsent = keepUnsent({
    timers,
    state,
    isStored: typeof client !== 'string',
    keep,
    kept: (canKeep) => {
      if (canKeep !== state.view.canKeep) state.show({ canKeep })
    },
  })
  const socket = reconnectingSocket({
    open: () => {
      watch.begin()
      return openSocket(state.view.path, { isUnattended: !isWaitedFor && !state.hasUnsent() })
    },
    timers,
    connected() {
      isWaitedFor = false
      state.phase = 'hello'
      const { text, clientId, isDoubtful } = state
      const known = text && text.epoch !== '' && !isDoubtful ? { epoch: text.epoch, version: text.version } : {}
      socket.send({ type: 'hello', clientId, ...known, alive: true })
    },
    received: (message) => {
      watch.begin()
      received(message)
    },
    lost,
  })
  const watch = watchSilence({ timers, state, abandon: () => socket.drop(4408, 'request_timeout') })
  const advanced = () => {
    unsent.changed()
    push()
    if (isCaretBehind && !state.text?.hasUnsent) timers.later('cursor', CURSOR_EVERY_MS, sendCaret)
  }
  const textChanged = (change: TextChanged, maker?: Editor) => {
    if (caret) caret = movedCaret(caret, change)
    tellEditors(change, maker)
  }
  const { received, interrupted } = receiveMessages({
    state,
    send: socket.send,
    drop: socket.drop,
    advanced,
    textChanged,
  })

  /** Returns the milliseconds until the next connection; undefined for none. */
  function lost({ code, reason }: { code: number; reason: string }): number | undefined {
    const wasRefused = state.inFlight && (code === 4400 || code === 4413)
    state.inFlight = state.isKeptAlive = false
    isCaretBehind = true
    watch.end()
    interrupted()
    if (wasRefused) state.text?.compact()
    if (state.phase === 'gone' || state.phase === 'closed') return undefined
    const isFinal = isFinalClose(code)
    state.phase = !isFinal ? 'offline' : code === 4404 && state.end ? 'gone' : 'refused'
    state.failure = isFinal || isStorageFailure(reason) ? reason : undefined
    if (!isFinal) state.attempts += 1
    state.showSave({ presence: NOBODY })
    if (isFinal) return undefined
    onLost()
    const hasUnsent = state.hasUnsent()
    if ((state.isPaused || isHidden()) && !hasUnsent) return undefined
    return reconnectDelay({ attempts: state.attempts, hasUnsent, chance: Math.random() })
  }

  function push(): void {
    if (state.phase !== 'ready' || state.inFlight || !state.text?.hasUnsent) return
    const wait = lastSent + PUSH_EVERY_MS - systemClock.monotonic()
    if (wait > 0) return timers.later('push', wait, push)
    state.inFlight = true
    lastSent = systemClock.monotonic()
    watch.begin()
    socket.send({ type: 'push', ...state.text.sendable(batch) })
  }

  // After the end of the link nobody would send a change, but a copy of it would stay in the browser.
  function edit(changes: ChangeSet, maker?: Editor): void {
    if (!state.text || state.phase === 'closed' || changes.empty) return
    state.text.edit(changes)
    if (maker) textChanged({ origin: 'own', changes }, maker)
    moveCursors(state.view.presence, changes, undefined)
    state.showSave()
    advanced()
    if (state.phase === 'offline' && state.isPaused) retry()
  }

  /** Replaces the text, also in the editor. */
  function change(next: (now: string) => string): void {
    if (!state.text || state.phase === 'closed') return
    const now = stringOf(state.text.text)
    const changes = ChangeSet.of(textChanges(now, next(now)), now.length, '\n')
    textChanged({ origin: 'own', changes })
    edit(changes)
  }

  function retry(): void {
    watch.look()
    state.isPaused = false
    isWaitedFor = true
    state.attempts = Math.min(state.attempts, 1)
    if (state.phase === 'refused' || state.phase === 'gone') {
      state.phase = 'offline'
      state.failure = undefined
      state.showSave()
    }
    if (state.phase === 'offline') socket.connect()
  }

  function sendCaret(): void {
    const { phase, text } = state
    if (!caret || !text) return
    // A caret that was set before the connection was ready is sent when it is.
    isCaretBehind = phase !== 'ready' || text.hasUnsent
    if (phase !== 'ready') return
    const [anchor, head] = [text.confirmedPlace(caret.anchor), text.confirmedPlace(caret.head)]
    socket.send({ type: 'cursor', version: text.version, anchor, head })
  }

  function stop(): void {
    state.phase = 'closed'
    timers.cancelAll()
    socket.stop()
  }

  socket.connect()

  return {
    ...subscribers,
    clientId: state.clientId,
    current: () => state.view,
    /** The text, undefined until it has been loaded. */
    text: () => state.text?.text,
    /** Applies a change of an editor, and passes it to the other editors of the note. */
    edit,
    change,
    /** Makes the changes that lead from one version of the text to another in the present text, also in the editor. */
    carryOver: ({ from, to }: { from: string; to: string }) => {
      const changesTo = (other: string) => ChangeSet.of(textChanges(from, other), from.length, '\n')
      if (from !== to)
        change((now) => {
          const changes = changesTo(to).map(changesTo(now), true)
          return changes.apply(Text.of(now.split('\n'))).toString()
        })
    },
    /** Ends a conflict with the text that the person has chosen. */
    resolve: (chosen: string) => {
      state.view = { ...state.view, clash: undefined }
      change(() => chosen)
      state.showSave()
      unsent.changed()
    },
    /** Shows the others where the caret is. */
    cursor: (anchor: number, head: number) => {
      caret = { anchor, head }
      timers.later('cursor', CURSOR_EVERY_MS, sendCaret)
    },
    /** Connects at once instead of after the delay: the network is back, or the person asked for it. */
    retry,
    /** Whether the daemon has said that the note does not exist. */
    isAbsent: () => state.phase === 'gone' || (state.phase === 'refused' && state.failure === 'not_found'),
    /** The host sleeps. Reconnects only when there is something to send, or when the person is back at the page. */
    pause: () => {
      state.isPaused = true
      isWaitedFor = false
      if (!state.hasUnsent()) timers.cancel('retry')
      state.showSave()
    },
    keepNow: unsent.keepNow,
    hasUnsent: state.hasUnsent,
    isKept: unsent.isKept,
    /** Ends the link and deletes the unsent changes. */
    discard: async () => {
      stop()
      await keep(undefined)
    },
    close: async () => {
      if (state.phase === 'closed') return
      if (state.phase === 'ready' && !state.hasUnsent()) socket.send({ type: 'bye' })
      const last = unsent.keepNow()
      stop()
      await last
    },
  }
}

/**
 * The caret of this page after a change: after text that was typed here, before text that others typed at the same
 * place.
 */
function movedCaret({ anchor, head }: { anchor: number; head: number }, { changes, origin }: TextChanged) {
  const moved = (place: number) => changes.mapPos(Math.min(place, changes.length), origin === 'own' ? 1 : -1)
  return { anchor: moved(anchor), head: moved(head) }
}
