import { systemClock } from '@svc/shared/kit/clock.ts'
import type { ClientMessage, DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { arrivingText, type ArrivingText } from './arriving-text.ts'
import type { LinkState } from './link-state.ts'
import { LiveText, type Received } from './live-text.ts'
import { moveCursors, NOBODY, presenceOf, type TextChanged } from './live-view.ts'

type Deps = {
  state: LinkState
  send(message: ClientMessage): void
  /** Ends the connection for a reason and reconnects. */
  drop(code: number): void
  /** Called after the text advanced: stores it if needed, and sends the unsent changes. */
  advanced(): void
  textChanged(change: TextChanged): void
}

/** Handles the messages of the daemon: each changes the text or the view. */
export function receiveMessages({ state, send, drop, advanced, textChanged }: Deps) {
  let arriving: ArrivingText | undefined
  /** How many of our updates the daemon has, when it resumes without sending the text. */
  let accepted = 0

  function received(message: DaemonMessage): void {
    if (arriving && message.type === 'text') {
      if (arriving.take(message.part)) takeWhole(arriving)
    } else if (arriving && message.type !== 'welcome') arriving.early.push(message)
    else take(message)
  }

  function take(message: DaemonMessage): void {
    switch (message.type) {
      case 'welcome':
        return takeWelcome(message)
      case 'updates':
        return takeUpdates(message)
      case 'durable':
        state.durable = message
        state.failure = undefined
        return state.showSave()
      case 'failed':
        state.failure = message.code
        return state.showSave()
      case 'people':
        return state.show({ presence: presenceOf(message.people, state.view.presence.cursors) })
      case 'cursor':
        return takeCursor(message)
      case 'alive':
        state.isKeptAlive = true
        return
      case 'moved':
        return state.show({ path: message.path })
      case 'gone':
        state.phase = 'gone'
        state.end = { who: message.who, rescued: message.rescued }
        return state.showSave({ presence: NOBODY })
      case 'text':
        return
    }
  }

  function takeWelcome(message: Extract<DaemonMessage, { type: 'welcome' }>): void {
    state.end = undefined
    state.durable = message.durable
    state.show({ you: message.you, path: message.path })
    if (message.resumed) {
      state.phase = 'behind'
      accepted = message.accepted
      if (state.text?.version === message.version) caughtUp()
      return
    }
    state.phase = 'text'
    arriving = arrivingText(message)
    if (message.parts === 0) takeWhole(arriving)
  }

  function takeWhole({ welcome, early, text }: ArrivingText): void {
    const { epoch, version, accepted } = welcome
    const whole = text()
    arriving = undefined
    state.isDoubtful = false
    if (!state.text) {
      const { clientId } = state
      state.text = new LiveText({ clientId, epoch, version, acked: accepted, confirmed: whole, pending: [] })
    } else {
      const { changes, clash } = state.text.replace({ epoch, version, accepted, text: whole })
      if (clash) state.show({ clash })
      textChanged({ origin: 'remote', changes, who: undefined, client: undefined })
    }
    send({ type: 'loaded', version, length: whole.length })
    becomeReady()
    for (const message of early) take(message)
  }

  function takeUpdates(message: Extract<DaemonMessage, { type: 'updates' }>): void {
    const { text, view } = state
    if (!text) return
    const all = changesOf(text, message)
    if (!all) return loadAgain()
    if (message.updates.some(({ client }) => client === state.clientId)) {
      state.inFlight = false
      if (state.attempts > 0) succeeded()
    }
    for (const { changes, client, who } of all) {
      moveCursors(view.presence, changes, client)
      const author = who ?? view.presence.people.find((person) => person.client === client)?.who
      textChanged({ origin: 'remote', changes, who: author, client })
    }
    if (state.phase === 'behind') return caughtUp()
    state.showSave()
    advanced()
  }

  function takeCursor({ id, anchor, head }: Extract<DaemonMessage, { type: 'cursor' }>): void {
    const { text, view } = state
    if (id === view.you || !text) return
    const { people, cursors } = view.presence
    const cursor = { anchor: text.place(anchor), head: text.place(head), at: systemClock.monotonic() }
    state.show({ presence: { people, cursors: new Map(cursors).set(id, cursor) } })
  }

  /** A connection alone is no success: the daemon may end it again because it cannot store the next push. */
  function succeeded(): void {
    state.attempts = 0
    state.failure = undefined
  }

  /** A daemon that counts our updates differently, because it has forgotten this client, would refuse every push. */
  function caughtUp(): void {
    if (state.text?.acked === accepted) becomeReady()
    else loadAgain()
  }

  function loadAgain(): void {
    state.isDoubtful = true
    drop(4409)
  }

  function becomeReady(): void {
    state.phase = 'ready'
    if (!state.text?.hasUnsent) succeeded()
    state.showSave()
    advanced()
  }

  return {
    received,
    /**
     * Called when the connection broke: forgets a text that has arrived only in part, because the daemon sends it
     * again.
     */
    interrupted: () => {
      arriving = undefined
    },
  }
}

/** The changes that updates bring; undefined when one is missing or does not fit. The text then stays as it was. */
function changesOf(text: LiveText, updates: Parameters<LiveText['receive']>[0]): Received[] | undefined {
  try {
    return text.receive(updates)
  } catch {
    return undefined
  }
}
