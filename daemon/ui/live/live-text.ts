import { ChangeSet, type Text } from '@codemirror/state'
import type { DaemonMessage, LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'
import { mergeApart } from '../../src/edits/merge-apart.ts'
import { rebaseOver, type ClientChange } from '../../src/edits/rebase-over.ts'
import { isCoarse, textChanges } from '../../src/edits/text-changes.ts'
import { toText } from '../../src/edits/to-text.ts'
import { stringOf } from '../../src/edits/whole-text.ts'
import { mergeTexts } from '../saving/merge-places.ts'
import { firstUpdates, type Batch } from './first-updates.ts'
import { blanksAt, joinedWords } from './joined-words.ts'
import { isSameChange } from './same-change.ts'
import { joinChanges, splitChanges } from './split-changes.ts'

type Updates = Extract<DaemonMessage, { type: 'updates' }>

/** A version of ours that only a person can merge with the confirmed text; both derive from `base`. */
export type Clash = { base: string; mine: string }

/**
 * The unconfirmed changes of a client, with the text that they apply to. An empty epoch means that the text was not
 * read from a live session.
 */
export type Unsent = {
  clientId: string
  epoch: string
  version: number
  acked: number
  confirmed: string
  pending: LiveChanges[]
  clash?: Clash
}

/** A whole text from the daemon. `accepted` is the last of our updates that is in it. */
export type WholeText = { epoch: string; version: number; accepted: number; text: string }

/** The result for the text on the screen. `clash`: our changes conflict with a rewrite, so they are kept apart. */
export type Replaced = { changes: ChangeSet; clash: Clash | undefined }

/** Changes of the text here that have one author. */
export type Received = { client: string; who: Updates['updates'][number]['who']; changes: ChangeSet }

/**
 * The text of one client: the text that the daemon has confirmed, plus the local changes. Updates are numbered, so that
 * the daemon takes each exactly once, even when connections break.
 */
export class LiveText {
  readonly clientId: string
  #epoch: string
  #version: number
  #confirmed: Text
  #acked: number
  /**
   * The last of our updates in `pending` that the daemon may have. It may have later ones that are not there: the copy
   * that this page continues from lacks what was sent just before a crash.
   */
  #sent: number
  /** The changes that the daemon has not confirmed, each on top of the one before. */
  #pending: readonly ChangeSet[] = []
  /** The confirmed text with the pending changes. */
  #text: Text

  constructor({ clientId, epoch, version, acked, confirmed, pending }: Unsent) {
    this.clientId = clientId
    this.#epoch = epoch
    this.#acked = acked
    this.#version = version
    this.#confirmed = this.#text = toText(confirmed)
    this.#sent = acked + pending.length
    for (const changes of pending) this.#add(ChangeSet.fromJSON(changes))
  }

  get epoch(): string {
    return this.#epoch
  }

  get version(): number {
    return this.#version
  }

  /** The number of local updates that the daemon has confirmed. */
  get acked(): number {
    return this.#acked
  }

  get text(): Text {
    return this.#text
  }

  get hasUnsent(): boolean {
    return this.#pending.length > 0
  }

  /**
   * Adds a local change. A large change is split, so that each piece fits into one message. A small one joins the change
   * before it that was never sent: each update that this page has missed is rebased over every pending one.
   */
  edit(changes: ChangeSet): void {
    for (const part of splitChanges(changes)) {
      const last = this.#acked + this.#pending.length > this.#sent ? this.#pending.at(-1) : undefined
      this.#add(part, last && joinChanges(last, part))
    }
  }

  /**
   * Applies confirmed updates and returns the changes of the local text. Throws if an update is missing or does not
   * apply; the text then stays as it was.
   */
  receive({ version, updates }: Pick<Updates, 'version' | 'updates'>): Received[] {
    if (version !== this.version) throw new RangeError(`updates of version ${version} came at ${this.version}`)
    const before = { confirmed: this.#confirmed, acked: this.#acked, pending: this.#pending, text: this.#text }
    try {
      return this.#receiveAll(updates)
    } catch (error) {
      this.#confirmed = before.confirmed
      this.#acked = before.acked
      this.#pending = before.pending
      this.#text = before.text
      this.#version = version
      throw error
    }
  }

  #receiveAll(updates: Updates['updates']): Received[] {
    const all: Received[] = []
    for (const { client, changes: json, who } of updates) {
      const update = { client, changes: ChangeSet.fromJSON(json) }
      const before = this.#confirmed
      this.#confirmed = update.changes.apply(before)
      this.#version += 1
      if (client === this.clientId) this.#acked += 1
      const changes = this.#receiveOne(update, before)
      const last = all.at(-1)
      if (last?.client === client && last.who?.name === who?.name) last.changes = last.changes.compose(changes)
      else all.push({ client, who, changes })
    }
    return all.filter(({ changes }) => !changes.empty)
  }

  #receiveOne(update: ClientChange, before: Text): ChangeSet {
    if (update.client === this.clientId && this.hasUnsent && this.#acked <= this.#sent) {
      const [first, ...rest] = this.#pending
      // The copy that this page continues from may have less of its last update than was sent before a crash.
      if (!isSameChange(first!, update.changes, before)) throw new RangeError('an update of ours is another one')
      this.#pending = rest
      return ChangeSet.empty(this.#text.length)
    }
    const { mine, other } = rebaseOver({ client: this.clientId, changes: this.#pending }, update)
    this.#pending = mine
    this.#text = other.apply(this.#text)
    return other.compose(this.#partWords(update.changes))
  }

  /** The next updates to send, up to a limit, and the number of the first of them. */
  sendable(most: Batch): { version: number; seq: number; updates: LiveChanges[] } {
    const updates = firstUpdates(this.#pending, most)
    this.#sent = Math.max(this.#sent, this.#acked + updates.length)
    return { version: this.version, seq: this.#acked + 1, updates }
  }

  /** Switches to a whole text of the daemon, with the unconfirmed local changes applied to it. */
  replace({ epoch, version, accepted, text }: WholeText): Replaced {
    const pending = this.#pending
    const known = Math.max(0, Math.min(accepted, this.#sent) - this.#acked)
    const base = pending.slice(0, known).reduce((now, changes) => changes.apply(now), this.#confirmed)
    const rest = pending.slice(known).reduce((all, changes) => all.compose(changes), ChangeSet.empty(base.length))

    const before = stringOf(base)
    const next = before === text ? base : toText(text)
    const list = textChanges(before, text)
    const theirs = ChangeSet.of(list, base.length, '\n')
    this.#epoch = epoch
    this.#acked = this.#sent = accepted
    this.#version = version
    this.#confirmed = next
    this.#revert()

    if (list.some((change) => isCoarse(change) && rest.touchesRange(change.from, change.to)))
      return this.#keepApart({ base, mine: rest.apply(base), back: rest.invert(base).compose(theirs) })
    const merged = mergeApart({ base, mine: rest.apply(base), other: next, ours: rest, theirs })
    if (!merged.ours.empty) this.edit(merged.ours)
    return { changes: merged.theirs, clash: undefined }
  }

  /** Merges our version into the confirmed text where that is possible line by line, otherwise leaves it out. */
  #keepApart({ base, mine, back }: { base: Text; mine: Text; back: ChangeSet }): Replaced {
    const clash = { base: stringOf(base), mine: stringOf(mine) }
    const theirs = stringOf(this.text)
    const merged = mergeTexts({ ...clash, theirs })
    if (merged === undefined) return { changes: back, clash }
    const changes = ChangeSet.of(textChanges(theirs, merged), theirs.length, '\n')
    this.edit(changes)
    return { changes: back.compose(changes), clash: undefined }
  }

  /** Joins all unsent changes into one update. Only after a push was refused, when nothing is in flight. */
  compact(): void {
    const unsent = this.#pending
    this.#sent = this.#acked
    this.#revert()
    if (unsent.length > 0) this.edit(unsent.reduce((all, changes) => all.compose(changes)))
  }

  /** The data to continue with after a reload. */
  unsent(): Unsent {
    return {
      clientId: this.clientId,
      epoch: this.#epoch,
      version: this.version,
      acked: this.#acked,
      confirmed: stringOf(this.#confirmed),
      pending: this.#pending.map((changes) => changes.toJSON() as LiveChanges),
    }
  }

  /** Maps a position in the confirmed text to the local text. */
  place(position: number): number {
    const within = Math.min(position, this.#confirmed.length)
    return this.#pending.reduce((now, changes) => changes.mapPos(now), within)
  }

  /** Maps a position in the local text to the confirmed text, which does not contain the unsent changes. */
  confirmedPlace(position: number): number {
    return this.#pending.toReversed().reduce((now, changes) => changes.invertedDesc.mapPos(now), position)
  }

  /**
   * Inserts a blank wherever a change has joined a local word with a word of somebody else; returns the inserted
   * blanks. The order of the clients ensures that no blank is inserted into a word that the other person is still
   * typing.
   */
  #partWords(other: ChangeSet): ChangeSet {
    const after = this.#text
    if (!this.hasUnsent) return ChangeSet.empty(after.length)
    const mine = this.#pending.reduce((all, changes) => all.compose(changes))
    const blanks = blanksAt(joinedWords({ mine, before: this.#confirmed, after, other }), after)
    if (!blanks.empty) this.edit(blanks)
    return blanks
  }

  #add(changes: ChangeSet, joined?: ChangeSet): void {
    this.#pending = joined ? [...this.#pending.slice(0, -1), joined] : [...this.#pending, changes]
    this.#text = changes.apply(this.#text)
  }

  /** Takes the pending changes out of the text. */
  #revert(): void {
    this.#pending = []
    this.#text = this.#confirmed
  }
}
