// What is durable, what is saved and what others may see must change together, so they are kept in one place.
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { LiveChanges, LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import { toEditorText } from '../edits/editor-text.ts'
import { toFileText } from '../edits/file-text.ts'
import type { Actor } from '../entry/actor.ts'
import { baselineOf } from '../files/baseline.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Audience } from './audience.ts'
import { writtenLines } from './line-writers.ts'
import type { LogRecord } from './log-record.ts'
import type { DocumentMark, LiveUpdate, NoteDocument } from './note-document.ts'
import type { FileState, NoteFiles } from './note-file.ts'
import { outsideWho, type Participant } from './participant.ts'
import type { Receipts } from './receipts.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'
import { WriteBehind, type WriteBehindTimes } from './write-behind.ts'

type Deps = {
  files: NoteFiles
  log: WriteAheadLog
  receipts: Receipts
  audience: Audience
  maxNoteBytes: number
  writeBehind: WriteBehindTimes
  clock: Clock
  logger: Pick<Log, 'warn'>
  /** The note is gone: the session has ended. */
  onGone(): void
  /** Everything is in the file. */
  onSaved(): void
}

type Beginning = { epoch: string; path: string; document: NoteDocument; baseline: string; by: Actor }

/** Updates from a participant. */
export type ClientPush = { version: number; clientID: string; seq: number; updates: readonly LiveChanges[]; by: Actor }

type Commit = { client: string; seq?: number; before?: number; by: Actor }

/**
 * The authority over one open note. A change is applied at once, logged, and told to the participants when it is
 * durable; the note file follows behind. What the file says in between enters the text as one more change.
 */
export class LiveSession {
  readonly epoch: string
  readonly audience: Audience
  readonly #deps: Deps
  readonly #document: NoteDocument
  #path: string
  #baseline: string
  #by: Actor
  /** `going`: the file is gone, and what is in no file is on its way to the trash. */
  #state: 'open' | 'going' | 'gone' = 'open'
  /** What every participant may know: all of it is in the log or in the file. */
  #durable: DocumentMark & { baseline: string }
  #pending: { client: string; before: number | undefined }[] = []
  #inLog = false
  #fileTurn = 0
  #saving: { version: number; baseline: string } | undefined
  #lastSave: { version: number; at: string; baseline: string }
  readonly #writeBehind: WriteBehind

  constructor({ epoch, path, document, baseline, by }: Beginning, deps: Deps) {
    this.epoch = epoch
    this.audience = deps.audience
    this.#deps = deps
    this.#document = document
    this.#path = path
    this.#baseline = baseline
    this.#by = by
    this.#durable = { ...document.mark(), baseline }
    this.#lastSave = { version: document.version, at: deps.clock.now().toISOString(), baseline }
    this.#writeBehind = new WriteBehind(deps.writeBehind, () => void this.save().catch(ignore))
    if (!document.isSaved) this.#writeBehind.arm()
  }

  get path(): string {
    return this.#path
  }

  get isSaved(): boolean {
    return this.#document.isSaved && this.#pending.length === 0
  }

  /** True while changes are on their way to the log. */
  get hasPending(): boolean {
    return this.#pending.length > 0
  }

  get lastSave() {
    return this.#lastSave
  }

  /** The text of the file when it would be saved now; undefined when it is saved. `current` is the file as it is. */
  unsavedText(current: string): string | undefined {
    return this.#document.isSaved ? undefined : toFileText(current, this.#document.text)
  }

  /** Who wrote the lines of the text that are in no file yet. */
  unsavedLines(): WrittenLines {
    return writtenLines(this.#document)
  }

  /** The text with the name of its state; undefined when the file has it. */
  unsaved(): { path: string; version: string; text(): string } | undefined {
    if (this.#document.isSaved) return undefined
    const version = `${this.epoch}:${this.#document.version}`
    return { path: this.#path, version, text: () => this.#document.text }
  }

  /** The text with its version, when nothing of it is on its way to the log. */
  async settled(): Promise<NoteDocument> {
    while (this.#pending.length > 0) await this.#deps.log.settle()
    this.audience.flushUpdates()
    return this.#document
  }

  /** Takes updates of a participant; resolves when they are durable. Refuses all of them or none. */
  async push({ version, clientID, seq, updates, by }: ClientPush): Promise<void> {
    if (this.#state !== 'open') throw fail('not_found')
    const { receipts, maxNoteBytes } = this.#deps
    const before = receipts.accepted(clientID)
    if (seq !== before + 1) throw fail('stale_doc', { accepted: before })
    const rebased = this.#document.rebase({ version, clientID, updates, by })
    if (this.#document.sizeAfter(rebased) > maxNoteBytes) throw fail('payload_too_large', { maxBytes: maxNoteBytes })

    const last = before + updates.length
    receipts.set(clientID, last)
    this.#by = by
    const from = this.#document.version
    this.#document.apply(rebased)
    await this.#commit(from, rebased, { client: clientID, seq: last, before, by })
  }

  /** Brings a change of the note file into the text. */
  async fileChanged(file: FileState, by: Actor | undefined, who: LiveWho): Promise<void> {
    const turn = ++this.#fileTurn
    const isKnown = () => file.baseline === this.#baseline || file.baseline === this.#saving?.baseline
    if (isKnown()) return
    await this.settled()
    // A later look at the file, or the end of the note, has overtaken this one.
    if (this.#state !== 'open' || turn !== this.#fileTurn || isKnown()) return
    const from = this.#document.version
    const text = toEditorText(file.text)
    const update = this.#document.mergeFile(text, who.kind, who)
    this.#baseline = file.baseline
    this.#saving = undefined
    if (this.#inLog)
      void this.#deps.log.append({ kind: 'file', epoch: this.epoch, text, baseline: file.baseline }).catch(ignore)
    if (update) await this.#commit(from, [update], { client: who.kind, by: by ?? this.#by })
    else this.#durable = { ...this.#document.mark(), baseline: this.#baseline }
    if (this.#document.isSaved) this.#tellSaved({ version: this.#document.version, baseline: file.baseline })
  }

  /** Refuses a client whose text is not the one that it was sent. */
  proveLoaded({ version, length }: { version: number; length: number }): void {
    if (this.#document.lengthAt(version) !== length)
      throw fail('stale_doc', { reason: 'the text did not arrive whole' })
  }

  /** Shows the others where a participant is. */
  cursor(participant: Participant, { version, anchor, head }: { version: number; anchor: number; head: number }): void {
    const durable = this.#durable.version
    const missed = this.#document.since(version)?.slice(0, Math.max(0, durable - version))
    if (!missed || version > durable) return
    const at = (position: number) => {
      const within = Math.min(position, this.#document.lengthAt(version) ?? 0)
      return missed.reduce((now, { changes }) => changes.mapPos(now), within)
    }
    this.audience.cursor(participant, { version: durable, anchor: at(anchor), head: at(head) })
  }

  /** Writes what is unsaved to the note file. */
  save(): Promise<void> {
    return this.#deps.files.inQueue(this.#path, () => this.saveInQueue())
  }

  /** As `save`, inside the queue of the path. */
  async saveInQueue(): Promise<void> {
    this.#writeBehind.stop()
    try {
      await this.settled()
      if (this.#document.isSaved || this.#state !== 'open') return
      const baseline = await this.#deps.files.write({
        path: this.#path,
        by: this.#by,
        next: (now) => this.#nextText(now),
        written: () => this.unsavedLines(),
      })
      this.#document.saved()
      this.#baseline = baseline
      const { agreed, writers } = this.#document.mark()
      this.#durable = { ...this.#durable, agreed, writers, baseline }
      const { version } = this.#saving ?? this.#lastSave
      this.#saving = undefined
      this.#writeBehind.succeeded()
      this.#deps.log.note({ kind: 'saved', epoch: this.epoch, version, baseline })
      this.#tellSaved({ version, baseline })
      if (!this.#document.isSaved) this.#writeBehind.arm()
    } catch (error) {
      this.#saving = undefined
      if (isFailure(error, 'not_found')) return await this.fileGone(undefined, undefined)
      this.#saveFailed(error)
      throw error
    }
  }

  /** The note file is gone. Text that was in no file goes to the trash. */
  async fileGone(by: Actor | undefined, who: LiveWho | undefined): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'going'
    this.#writeBehind.stop()
    const rescued = !this.#document.isSaved
    try {
      if (rescued) await this.#deps.files.rescue({ path: this.#path, text: this.#document.text, by: by ?? this.#by })
    } catch (error) {
      this.#state = 'open'
      return this.#saveFailed(error)
    }
    this.#state = 'gone'
    if (this.#inLog) this.#deps.log.note({ kind: 'ended', epoch: this.epoch })
    this.audience.tell({ type: 'gone', rescued, ...(who ? { who } : {}) })
    this.audience.end(fail('not_found'))
    this.#deps.onGone()
  }

  /** The file is not where it was. Until it is known what became of it, nobody writes it but who must. */
  hold(): void {
    this.#writeBehind.hold()
  }

  /** The file is there again. */
  release(): void {
    this.#writeBehind.release()
    if (!this.#document.isSaved) this.#writeBehind.arm()
  }

  /** The note has another path now. */
  moved(path: string): void {
    this.#path = path
    if (this.#inLog) this.#deps.log.note({ kind: 'moved', epoch: this.epoch, path })
    this.audience.tell({ type: 'moved', path })
  }

  /** Takes back what never became durable: nobody was told of it, and its senders send it again. */
  rollBack(error: unknown): void {
    if (this.#pending.length === 0) return
    for (const { client, before } of this.#pending.toReversed())
      if (before !== undefined) this.#deps.receipts.set(client, before)
    this.#pending = []
    this.#document.rollBack(this.#durable)
    this.#baseline = this.#durable.baseline
    this.#saveFailed(error)
    this.audience.end(toServiceError(error))
  }

  /** What the log must say of this session when it is written anew. */
  logRecords(): LogRecord[] {
    const { epoch } = this
    this.#inLog = !this.#document.isSaved && this.#state !== 'gone'
    if (!this.#inLog) return []
    const { saving } = this.#document
    const { version } = saving ?? this.#document
    const records: LogRecord[] = [this.#sessionRecord(saving ?? this.#document)]
    if (saving && this.#saving) records.push({ kind: 'saving', epoch, ...this.#saving })
    for (const [index, update] of (saving ? this.#document.since(saving.version)! : []).entries())
      records.push(
        this.#updatesRecord(version + index, [update], { client: update.clientID, by: update.by ?? this.#by }),
      )
    return records
  }

  close(): void {
    this.#writeBehind.stop()
    this.audience.end(fail('daemon_offline'))
  }

  async #nextText(current: FileState | undefined): Promise<string> {
    if (!current) throw fail('not_found')
    await this.fileChanged(current, undefined, outsideWho)
    await this.settled()
    const { text, version } = this.#document.startSaving()
    const file = toFileText(current.text, text)
    const baseline = baselineOf(Buffer.from(file))
    this.#saving = { version, baseline }
    await this.#deps.log.append({ kind: 'saving', epoch: this.epoch, version, baseline })
    return file
  }

  async #commit(version: number, updates: LiveUpdate[], commit: Commit): Promise<void> {
    const mark = { ...this.#document.mark(), baseline: this.#baseline }
    if (this.#document.isSaved && this.#pending.length === 0 && !this.#inLog) {
      this.#durable = mark
      return this.audience.updates(version, updates)
    }
    const entry = { client: commit.client, before: commit.before }
    this.#pending.push(entry)
    this.#writeBehind.arm()
    if (!this.#inLog) {
      this.#inLog = true
      void this.#deps.log
        .append(this.#sessionRecord({ ...this.#durable, text: this.#durable.text.toString() }))
        .catch(ignore)
    }
    await this.#deps.log.append(this.#updatesRecord(version, updates, commit))
    this.#pending.shift()
    this.#durable = { ...mark, agreed: this.#document.mark().agreed, baseline: this.#baseline }
    this.audience.updates(version, updates)
  }

  #sessionRecord({ version, text, writers }: Pick<NoteDocument, 'version' | 'text' | 'writers'>): LogRecord {
    const agreed = this.#document.agreed
    const file = { baseline: this.#baseline, ...(agreed === text ? {} : { text: agreed }) }
    return {
      kind: 'session',
      epoch: this.epoch,
      path: this.#path,
      version,
      text,
      file,
      by: this.#by,
      writers: [...writers],
    }
  }

  #updatesRecord(version: number, updates: readonly LiveUpdate[], { client, seq, by }: Commit): LogRecord {
    const changes = updates.map((update) => update.changes.toJSON())
    const who = updates[0]?.who
    return { kind: 'updates', epoch: this.epoch, version, client, seq, by, changes, ...(who ? { who } : {}) }
  }

  #tellSaved({ version, baseline }: { version: number; baseline: string }): void {
    this.#lastSave = { version, baseline, at: this.#deps.clock.now().toISOString() }
    if (this.#document.isSaved) this.#inLog = false
    this.audience.tell({ type: 'durable', ...this.#lastSave })
    if (this.#document.isSaved) this.#deps.onSaved()
  }

  #saveFailed(error: unknown): void {
    const { code, message } = toServiceError(error)
    this.#deps.logger.warn({ err: error }, 'an open note could not be saved; it is tried again')
    this.audience.tell({ type: 'failed', code, message })
    this.#writeBehind.failed()
  }
}

// The one who waits for the same thing is told.
const ignore = () => {}
