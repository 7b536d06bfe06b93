import { fail } from '@svc/shared/wire/errors.ts'
import { liveLimits, type DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { isTooLargeToSend } from './document/changes-size.ts'
import { encodeMessage, whoOf, type Participant } from './participant.ts'
import type { LiveUpdate } from './document/live-update.ts'
import { placeAfter } from './document/place-after.ts'

type Cursor = { version: number; anchor: number; head: number }

// Cursors and arrivals may be delayed; typed text only for as long as nobody notices.
const PRESENCE_MS = 50
const WAIT_MS_EACH = 0.12

/** The participants of a live session: one encoding of each message for all of them. */
export class Audience {
  readonly #participants = new Map<string, Participant>()
  readonly #cursors = new Map<string, Cursor>()
  #outbox: { version: number; updates: LiveUpdate[] } | undefined
  #presence: NodeJS.Timeout | undefined
  #peopleChanged = false

  get size(): number {
    return this.#participants.size
  }

  /**
   * How long an update may wait for others, in milliseconds. Each message costs a sync of the log and a write for every
   * participant. With 50 participants, the updates of 6 ms may share a message; with a few participants, none waits.
   */
  get longestWaitMs(): number {
    return Math.floor(this.size * WAIT_MS_EACH)
  }

  add(participant: Participant): void {
    for (const other of this.#participants.values())
      if (other.clientId === participant.clientId) other.end(fail('stale_doc', { reason: 'connected again' }))
    if (this.#participants.size >= liveLimits.maxParticipants)
      throw fail('too_many_requests', { maxParticipants: liveLimits.maxParticipants })
    this.#participants.set(participant.id, participant)
    this.#announce()
  }

  remove({ id }: Participant): void {
    if (!this.#participants.delete(id)) return
    this.#cursors.delete(id)
    this.#announce()
  }

  /**
   * Sends durable updates. Those of one turn of the event loop are sent as one message. After an update that is too
   * large to send, the participants connect again and load the whole text.
   */
  updates(version: number, updates: readonly LiveUpdate[]): void {
    if (this.#participants.size === 0) return
    if (updates.some(({ changes }) => isTooLargeToSend(changes)))
      return this.end(fail('stale_doc', { reason: 'the note file was rewritten' }))
    for (const [id, cursor] of this.#cursors) this.#moveCursor(id, cursor, updates)
    if (this.#outbox) return void this.#outbox.updates.push(...updates)
    this.#outbox = { version, updates: [...updates] }
    setImmediate(() => this.flushUpdates())
  }

  /** A cursor that waits is sent after these updates, so it must be a place in the text with them. */
  #moveCursor(id: string, { version, anchor, head }: Cursor, updates: readonly LiveUpdate[]): void {
    const place = placeAfter(updates, this.#participants.get(id)!.clientId)
    if (!place) return void this.#cursors.delete(id)
    this.#cursors.set(id, { version: version + updates.length, anchor: place(anchor), head: place(head) })
  }

  /** Sends the collected updates, so that later messages follow them. */
  flushUpdates(): void {
    const outbox = this.#outbox
    if (!outbox) return
    this.#outbox = undefined
    this.#send(encodeMessage(updatesMessage(outbox.version, outbox.updates)))
  }

  /** Sends a cursor soon. Its version is that of the last update. */
  cursor({ id }: Participant, cursor: Cursor): void {
    if (!this.#participants.has(id)) return
    this.#cursors.set(id, cursor)
    this.#schedulePresence()
  }

  tell(message: DaemonMessage): void {
    this.flushUpdates()
    this.#send(encodeMessage(message))
  }

  /** Ends every connection; others may come later. */
  end(failure?: Parameters<Participant['end']>[0]): void {
    this.flushUpdates()
    clearTimeout(this.#presence)
    this.#presence = undefined
    this.#cursors.clear()
    const all = [...this.#participants.values()]
    this.#participants.clear()
    for (const participant of all) participant.end(failure)
  }

  #announce(): void {
    this.#peopleChanged = true
    this.#schedulePresence()
  }

  #schedulePresence(): void {
    this.#presence ??= setTimeout(() => {
      this.#presence = undefined
      this.#tellPresence()
    }, PRESENCE_MS)
  }

  #tellPresence(): void {
    if (this.#peopleChanged) {
      this.#peopleChanged = false
      const everybody = [...this.#participants.values()]
      const people = everybody.map(({ id, clientId, actor }) => ({ id, client: clientId, who: whoOf(actor) }))
      this.tell({ type: 'people', people })
    }
    for (const [id, cursor] of this.#cursors) this.tell({ type: 'cursor', id, ...cursor })
    this.#cursors.clear()
  }

  #send(frame: Buffer): void {
    for (const participant of this.#participants.values()) participant.send(frame)
  }
}

/** Updates on top of a version, as they are sent. */
export const updatesMessage = (version: number, updates: readonly LiveUpdate[]): DaemonMessage => ({
  type: 'updates',
  version,
  updates: updates.map(({ clientID, changes, who }) => ({ client: clientID, changes: changes.toJSON(), who })),
})
