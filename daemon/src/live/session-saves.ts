import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import type { DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { stringOf } from '../edits/whole-text.ts'
import { baselineOf } from '../files/baseline.ts'
import { writtenLines } from './line-writers.ts'
import type { FileState } from './note-file.ts'
import { agreedState } from './document/agreed-state.ts'
import type { SaveMark, SessionState } from './session-state.ts'
import { WriteBehind, type WriteBehindTimes } from './write-behind.ts'

/** What is known of a file that is not at its path. As soon as it is known, the session follows it or ends by itself. */
export type Fate = 'deleted' | 'unknown'

type Deps = {
  /** A save before this session, of which nobody knows whether it has reached the file. */
  doubtful: SaveMark | undefined
  times: WriteBehindTimes
  clock: Clock
  logger: Pick<Log, 'warn'>
  /** Merges the present file into the text, before the text replaces it. */
  takeFile(file: FileState): Promise<void>
  /** Resolves when nothing of the text is on its way to the log. */
  whenLogged(): Promise<unknown>
  /** The file was deleted: ends the session. */
  onGone(): Promise<void>
  /** A save did not find the file, which may have been moved a moment ago. */
  onMissing(): Promise<Fate>
  /** The file has the whole text. */
  onSaved(): void
}

type Failed = Extract<DaemonMessage, { type: 'failed' }>

/** Writes the text of a live session to its note file: after a pause in typing, and at once on request. */
export class SessionSaves {
  readonly #state: SessionState
  readonly #deps: Deps
  readonly #writeBehind: WriteBehind
  #inFlight: SaveMark | undefined
  /** A save that has failed. The file may still have its text, if only the end of the save failed. */
  #doubtful: SaveMark | undefined
  #writing: Promise<void> | undefined
  #last: SaveMark & { at: string }
  #failure: Failed | undefined

  constructor(state: SessionState, deps: Deps) {
    this.#state = state
    this.#deps = deps
    this.#doubtful = deps.doubtful
    const { baseline, document } = state
    this.#last = { version: document.isSaved ? document.version : 0, at: deps.clock.now().toISOString(), baseline }
    this.#writeBehind = new WriteBehind(deps.times, () => this.saveUnattended())
  }

  /** The save that has begun: the file has this text already, or will have it. */
  get inFlight(): SaveMark | undefined {
    return this.#inFlight
  }

  /** The save of which the file may have the text. */
  get possible(): SaveMark | undefined {
    return this.#inFlight ?? this.#doubtful
  }

  get last() {
    return this.#last
  }

  /** What the participants were told of the save that failed last, while its text is in no file. */
  get failure(): Failed | undefined {
    return this.#state.document.isSaved ? undefined : this.#failure
  }

  /** Something is unsaved. */
  arm(): void {
    this.#writeBehind.arm()
  }

  stop(): void {
    this.#writeBehind.stop()
  }

  /** The file is not at its path. Until its fate is known, only explicit saves write it. */
  hold(): void {
    this.#writeBehind.hold()
  }

  /** The file is at its path again, or its text must go elsewhere: saves no longer wait. */
  release(): void {
    this.#writeBehind.release()
    this.#writeBehind.succeeded()
    if (!this.#state.document.isSaved) this.arm()
  }

  /** Writes what is unsaved to the note file. Fails while it is not known whether a missing file was moved or deleted. */
  save(): Promise<void> {
    return this.#save(this.#endIfDeleted)
  }

  /** Like `save`, for nobody who waits. */
  saveUnattended(): void {
    void this.#save(this.#deps.onMissing).catch(ignore)
  }

  /** Like `save`, inside the queue of the path. */
  saveInQueue(): Promise<void> {
    return this.#saveInQueue(this.#endIfDeleted)
  }

  /** Like `save`, when the vault closes: nobody will look for a missing file. */
  saveAtEnd(): Promise<void> {
    return this.#save(this.#deps.onGone)
  }

  /** Like `saveInQueue`, when the vault opens: the file is missing since before that. */
  saveAtStart(): Promise<void> {
    return this.#saveInQueue(this.#deps.onGone)
  }

  readonly #endIfDeleted = async (): Promise<void> => {
    if ((await this.#deps.onMissing()) !== 'deleted') throw fail('storage_failed')
    await this.#deps.onGone()
  }

  #save(onNotFound: () => Promise<unknown>): Promise<void> {
    const { files, path } = this.#state
    return files.inQueue(path, () => this.#saveInQueue(onNotFound))
  }

  async #saveInQueue(onNotFound: () => Promise<unknown>): Promise<void> {
    const state = this.#state
    this.stop()
    let { path } = state
    try {
      await this.#deps.whenLogged()
      path = state.path
      if (state.document.isSaved || state.phase !== 'open') return
      this.#writing = this.#write()
      await this.#writing
    } catch (error) {
      this.#doubtful = this.#inFlight ?? this.#doubtful
      this.#inFlight = undefined
      const isMissing = isFailure(error, 'not_found')
      if (isMissing && state.path === path) return void (await onNotFound())
      // The session has followed its file meanwhile.
      if (isMissing) this.arm()
      else this.failed(error)
      throw error
    }
  }

  /** Resolves when the save in progress has succeeded or failed; to false if there was none. */
  async settled(): Promise<boolean> {
    const hasBegun = this.#inFlight !== undefined
    while (this.#inFlight) await this.#writing?.catch(ignore)
    return hasBegun
  }

  /** Somebody else wrote the file: a save in progress has not reached it. */
  overtaken(): void {
    this.#inFlight = this.#doubtful = undefined
  }

  /**
   * Decides from the present file whether a failed save has reached it. If so, the saved text becomes the base of the
   * text: otherwise the words that the file already has would be merged into the text a second time.
   */
  settle(file: FileState): void {
    const { document, baseline } = this.#state
    const doubtful = this.#doubtful
    this.#doubtful = undefined
    if (!doubtful || !document.saving) return
    const files = [
      { baseline, text: document.agreed },
      { baseline: doubtful.baseline, text: stringOf(document.saving.text) },
    ]
    if (agreedState({ files }, file).baseline === doubtful.baseline) this.#reached(doubtful)
  }

  /** The file has the text of a version. */
  succeeded(mark: SaveMark): void {
    const { document, log, audience } = this.#state
    this.#last = { ...mark, at: this.#deps.clock.now().toISOString() }
    this.#failure = undefined
    if (document.isSaved) log.end()
    audience.tell({ type: 'durable', ...this.#last })
    if (document.isSaved) this.#deps.onSaved()
  }

  /** Text could not be saved to a file. Notifies the participants; the save is retried. */
  failed(error: unknown): void {
    const { code, message } = toServiceError(error)
    this.#deps.logger.warn({ err: error }, 'an open note could not be saved; it is tried again')
    this.#failure = { type: 'failed', code, message }
    this.#state.audience.tell(this.#failure)
    this.#writeBehind.failed()
  }

  async #write(): Promise<void> {
    const state = this.#state
    const { document, files } = state
    const baseline = await files.write({
      path: state.path,
      by: state.by,
      next: (now) => this.#nextText(now),
      written: () => writtenLines(document.mark()),
    })
    this.#reached({ version: (this.#inFlight ?? this.#last).version, baseline })
  }

  /** The file has the text that was being saved. */
  #reached(mark: SaveMark): void {
    const state = this.#state
    const { document } = state
    document.saved()
    state.baseline = mark.baseline
    const { agreed, writers } = document.mark()
    state.durable = { ...state.durable, agreed, writers, baseline: mark.baseline }
    this.#inFlight = undefined
    this.#writeBehind.succeeded()
    state.log.saved(mark)
    this.succeeded(mark)
    if (!document.isSaved) this.arm()
  }

  async #nextText(current: FileState | undefined): Promise<string> {
    if (!current) throw fail('not_found')
    await this.#deps.takeFile(current)
    await this.#deps.whenLogged()
    const { file, version } = this.#state.document.startSaving(current.text)
    const mark = { version, baseline: baselineOf(Buffer.from(file)) }
    this.#inFlight = mark
    this.#doubtful = undefined
    await this.#state.log.saving(mark)
    return file
  }
}

// `failed` has reported the error already, and WriteBehind tries again.
const ignore = () => {}
