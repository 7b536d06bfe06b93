import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import { toEditorText } from '../edits/editor-text.ts'
import { toText } from '../edits/to-text.ts'
import { stringOf } from '../edits/whole-text.ts'
import type { Actor } from '../entry/actor.ts'
import { isTooLargeToSend } from './document/changes-size.ts'
import type { LiveUpdate } from './document/live-update.ts'
import { fitsOneTurn, textInTurns } from './document/text-in-turns.ts'
import type { FileState, SeenFile } from './note-file.ts'
import { FILE_CLIENT, outsideWho } from './participant.ts'
import type { SessionSaves } from './session-saves.ts'
import type { SessionState } from './session-state.ts'
import { formOf } from './text-size.ts'

/** The client that sends a change to the log, and the receipt that it has without this change. */
export type Commit = { client: string; seq?: number; before: number | undefined; by: Actor }

type Deps = {
  saves: SessionSaves
  /** Resolves when nothing of the text is on its way to the log. */
  whenLogged(): Promise<unknown>
  /** Makes an update of a version durable and sends it to the participants. */
  commit(version: number, update: LiveUpdate, commit: Commit): Promise<void>
}

type Writer = { by: Actor | undefined; who: LiveWho }
type Taking = Writer & { turn: number; isReplaced?: boolean }

/** Merges what others write to the note file into the text of a live session. */
export class SessionFile {
  readonly #state: SessionState
  readonly #deps: Deps
  #turn = 0

  constructor(state: SessionState, deps: Deps) {
    this.#state = state
    this.#deps = deps
  }

  /** Merges a change of the note file into the text. A file that comes without its text is read. */
  async changed(file: FileState | SeenFile, writer: Writer): Promise<void> {
    const turn = ++this.#turn
    if (this.#isKnown(file)) return
    const state = this.#state
    // A save in progress may bring this very change into the text and then replace the file: in that case, merge the
    // file as it is after the save.
    const isAsSeen = !(await this.#deps.saves.settled())
    const now = isAsSeen && 'text' in file ? file : await state.files.find(state.path)
    if (now) await this.#take(now, { ...writer, turn })
  }

  /** Merges the file that a save is about to replace. */
  replaced(file: FileState): Promise<void> {
    return this.#take(file, { turn: ++this.#turn, isReplaced: true, by: undefined, who: outsideWho })
  }

  /** True for the text that the session took from the file last, or is writing to it. */
  #isKnown({ baseline }: SeenFile): boolean {
    return baseline === this.#state.baseline || baseline === this.#deps.saves.inFlight?.baseline
  }

  async #take(file: FileState, { turn, by, who, isReplaced }: Taking): Promise<void> {
    if (this.#isKnown(file)) return
    const state = this.#state
    const { saves, whenLogged, commit } = this.#deps
    const { document, log } = state
    const text = fitsOneTurn(file.text) ? toText(toEditorText(file.text)) : await textInTurns(file.text)
    await whenLogged()
    // A later read of the file, or the deletion of the note, has overtaken this one. A file that a save replaces is
    // merged anyway.
    if (state.phase !== 'open' || (turn !== this.#turn && !isReplaced)) return
    saves.settle(file)
    if (this.#isKnown(file)) return
    const from = document.version
    const update = document.mergeFile(text, FILE_CLIENT, who)
    state.baseline = file.baseline
    state.form = formOf(file.text)
    saves.overtaken()
    if (!update || !isTooLargeToSend(update.changes))
      log.fileChanged({ kind: 'file', text: stringOf(text), baseline: file.baseline })
    if (update) await commit(from, update, { client: FILE_CLIENT, before: undefined, by: by ?? state.by })
    else state.durable = { ...document.mark(), baseline: state.baseline }
    if (document.isSaved) saves.succeeded({ version: document.version, baseline: file.baseline })
  }
}
