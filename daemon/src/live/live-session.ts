import type { Text } from '@codemirror/state'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import type { Actor } from '../entry/actor.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Audience } from './audience.ts'
import { writtenLines } from './line-writers.ts'
import type { MakeRecord } from './log/log-record.ts'
import { fileTextAfter } from './document/changed-file.ts'
import type { ClientPush, LiveUpdate } from './document/live-update.ts'
import { refuseTooLarge, type TextLimits } from './document/refuse-too-large.ts'
import type { NoteDocument } from './note-document.ts'
import { Gathering } from './gathering.ts'
import type { FileState, NoteFiles, SeenFile } from './note-file.ts'
import type { Participant } from './participant.ts'
import type { Receipts } from './log/receipts.ts'
import { SessionLog } from './log/session-log.ts'
import { recordOfUpdates, sessionRecord, snapshotRecords, type SessionFacts } from './log/session-records.ts'
import { SessionFile, type Commit } from './session-file.ts'
import { SessionSaves, type Fate } from './session-saves.ts'
import type { Beginning, SessionState } from './session-state.ts'
import type { WriteAheadLog } from './log/write-ahead-log.ts'
import type { WriteBehindTimes } from './write-behind.ts'

type Deps = TextLimits & {
  files: NoteFiles
  log: WriteAheadLog
  receipts: Receipts
  audience: Audience
  writeBehind: WriteBehindTimes
  clock: Clock
  logger: Pick<Log, 'warn'>
  /** The note was deleted: the session has ended. */
  onGone(): void
  /** A save did not find the file. */
  onMissing(): Promise<Fate>
  /** Everything is in the file. */
  onSaved(): void
}

type Gone = { by?: Actor | undefined; who?: LiveWho; isErased?: boolean | undefined }

/**
 * The authority over one open note. A change is applied at once, logged, and sent to the participants when it is
 * durable; the note file is written later. Changes of the file in between enter the text as one more change.
 */
export class LiveSession {
  readonly epoch: string
  readonly audience: Audience
  readonly #deps: Deps
  readonly #state: SessionState
  readonly #document: NoteDocument
  readonly #log: SessionLog
  readonly #file: SessionFile
  /** The text that was last returned to a reader: several parts of one request may read it. */
  #lastRead: { file: string; text: Text; agreed: Text; unsaved: string } | undefined
  readonly #gathering = new Gathering()
  readonly saves: SessionSaves

  constructor({ epoch, doubtful, ...beginning }: Beginning, deps: Deps) {
    const { files, receipts, audience } = deps
    const { document, baseline } = beginning
    this.epoch = epoch
    this.audience = audience
    this.#deps = deps
    this.#document = document
    this.#log = new SessionLog({ epoch, log: deps.log, receipts, isBegun: !document.isSaved })
    const durable = { ...document.mark(), baseline }
    this.#state = { ...beginning, files, audience, log: this.#log, phase: 'open', durable }
    this.saves = new SessionSaves(this.#state, {
      ...deps,
      doubtful,
      times: deps.writeBehind,
      takeFile: (file) => this.#file.replaced(file),
      whenLogged: () => this.whenLogged(),
      onGone: () => this.fileGone(),
    })
    this.#file = new SessionFile(this.#state, {
      saves: this.saves,
      whenLogged: () => this.whenLogged(),
      commit: (from, update, commit) => this.#commit(from, [update], commit),
    })
    if (!document.isSaved) this.saves.arm()
  }

  get path(): string {
    return this.#state.path
  }

  /** What the text takes in memory. */
  get memory(): Pick<NoteDocument, 'size' | 'forgetUpdates'> {
    return this.#document
  }

  get isSaved(): boolean {
    return this.#document.isSaved && !this.#log.hasPending
  }

  /** True while changes are on their way to the log. */
  get hasPending(): boolean {
    return this.#log.hasPending
  }

  /**
   * The text that the file would have if it were saved now; undefined if it is saved. `current` is the present text of
   * the file.
   */
  unsavedText(current: string): string | undefined {
    if (this.#document.isSaved) return undefined
    const { text, agreed } = this.#document.mark()
    const last = this.#lastRead
    if (last && last.text === text && last.agreed === agreed && last.file === current) return last.unsaved
    // A file that was just written may enter the text a moment later; a reader in between sees both.
    const unsaved = fileTextAfter({ file: current, ...this.#document.with(current) })
    this.#lastRead = { file: current, text, agreed, unsaved }
    return unsaved
  }

  /** Who wrote the lines of the text that are in no file yet. */
  unsavedLines(current: string): WrittenLines {
    return writtenLines(this.#document.with(current))
  }

  /** The text with the name of its state; undefined if the file has it. */
  unsaved(): { path: string; version: string; text(): string } | undefined {
    if (this.#document.isSaved) return undefined
    const version = `${this.epoch}:${this.#document.version}`
    return { path: this.#state.path, version, text: () => this.#document.text }
  }

  /** The text with its version, once no part of it is on its way to the log. */
  async whenLogged(): Promise<NoteDocument> {
    await this.#log.runDry()
    this.audience.flushUpdates()
    return this.#document
  }

  /** Applies updates of a participant; resolves when they are durable. Applies all of them or none. */
  async push({ version, clientID, seq, updates, by, hasEnded }: ClientPush): Promise<void> {
    // A push takes longer the more is unsaved.
    while (this.#state.phase === 'open' && this.#document.isCrowded) await this.saves.save()
    while (this.#log.held) await this.#log.held
    if (hasEnded?.()) return
    if (this.#state.phase !== 'open') throw fail('not_found')
    const { receipts } = this.#deps
    const before = receipts.accepted(clientID)
    if (seq !== before + 1) throw fail('stale_doc', { accepted: before })
    const rebased = this.#document.rebase({ version, clientID, updates, by })
    refuseTooLarge(this.#document, { updates: rebased, form: this.#state.form }, this.#deps)

    const last = before + updates.length
    receipts.set(clientID, last)
    this.#state.by = by
    const from = this.#document.version
    this.#document.apply(rebased)
    await this.#commit(from, rebased, { client: clientID, seq: last, before, by })
  }

  /** Merges a change of the note file into the text. */
  fileChanged(file: FileState | SeenFile, by: Actor | undefined, who: LiveWho): Promise<void> {
    return this.#file.changed(file, { by, who })
  }

  /** Refuses a client whose text differs from the one that it was sent. */
  proveLoaded({ version, length }: { version: number; length: number }): void {
    if (this.#document.lengthAt(version) !== length)
      throw fail('stale_doc', { reason: 'the text did not arrive whole' })
  }

  /** Sends the position of a participant to the others, as soon as they can know the text that it refers to. */
  cursor(participant: Participant, { version, anchor, head }: { version: number; anchor: number; head: number }): void {
    const upTo = this.#state.durable.version
    const place = this.#document.placeAt({ version, upTo, clientID: participant.clientId })
    if (place) this.audience.cursor(participant, { version: upTo, anchor: place(anchor), head: place(head) })
  }

  /** The note file is gone. Text that was in no file goes to the trash, unless the note was deleted for good. */
  async fileGone({ by, who, isErased = false }: Gone = {}): Promise<void> {
    if (this.#state.phase !== 'open') return
    this.#state.phase = 'going'
    this.saves.stop()
    const rescued = !isErased && !this.#document.isSaved
    try {
      if (rescued)
        await this.#deps.files.rescue({ path: this.#state.path, text: this.#document.text, by: by ?? this.#state.by })
    } catch (error) {
      this.#state.phase = 'open'
      this.saves.release()
      return this.saves.failed(error)
    }
    this.#state.phase = 'gone'
    this.#log.note({ kind: 'ended' })
    this.audience.tell({ type: 'gone', rescued, ...(who ? { who } : {}) })
    this.audience.end(fail('not_found'))
    this.#deps.onGone()
  }

  /** The note has another path now. */
  moved(path: string): void {
    this.#state.path = path
    this.#log.note({ kind: 'moved', path })
    this.audience.tell({ type: 'moved', path })
  }

  /** Reverts changes that never became durable: no participant has received them, and their senders send them again. */
  rollBack(error: unknown): void {
    if (!this.#log.hasPending) return
    this.#log.rollBack()
    this.#document.rollBack(this.#state.durable)
    this.#state.baseline = this.#state.durable.baseline
    this.saves.failed(error)
    this.audience.end(toServiceError(error))
  }

  /** The records of this session for a rewritten log. */
  logRecords(): MakeRecord[] {
    const isIncluded = this.#log.rewrite(() => !this.isSaved && this.#state.phase !== 'gone')
    return isIncluded ? snapshotRecords(this.#facts(), this.#document, this.saves.possible) : []
  }

  close(): void {
    this.saves.stop()
    this.audience.end(fail('daemon_offline'))
  }

  async #commit(version: number, updates: LiveUpdate[], commit: Commit): Promise<void> {
    const mark = { ...this.#document.mark(), baseline: this.#state.baseline }
    if (this.isSaved && !this.#log.isBegun) {
      this.#state.durable = mark
      return this.audience.updates(version, updates)
    }
    this.saves.arm()
    await this.#log.commit(commit, {
      first: () => sessionRecord(this.#facts(), this.#state.durable),
      record: recordOfUpdates({ epoch: this.epoch, version, updates }, commit),
      waitMs: this.#gathering.waitMs(this.#deps.clock.monotonic(), this.audience.longestWaitMs),
    })
    this.#log.confirm()
    this.#state.durable = { ...mark, agreed: this.#document.mark().agreed, baseline: this.#state.baseline }
    this.audience.updates(version, updates)
  }

  #facts(): SessionFacts {
    const { path, baseline, by, document } = this.#state
    return { epoch: this.epoch, path, baseline, by, agreed: document.mark().agreed }
  }
}
