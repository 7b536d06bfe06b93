import { ChangeSet, type Text } from '@codemirror/state'
import { fail } from '@svc/shared/wire/errors.ts'
import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import { toEditorText } from '../edits/editor-text.ts'
import { mergeApart } from '../edits/merge-apart.ts'
import { asText, toText } from '../edits/to-text.ts'
import { stringAfter, stringOf } from '../edits/whole-text.ts'
import { outsideAuthor } from '../entry/author.ts'
import { checkedChanges, refuseTornCharacters } from './checked-changes.ts'
import { fileTextAfter } from './document/changed-file.ts'
import { between } from './document/between.ts'
import { sectionsOf } from './document/changes-size.ts'
import { changesOf } from './document/compose-all.ts'
import type { Beginning, DocumentMark, Saving } from './document/document-states.ts'
import { changeOf, type LiveUpdate, type Push } from './document/live-update.ts'
import { openTextSize } from './document/open-texts.ts'
import { MatchedFile } from './document/matched-file.ts'
import { placeAfter, type Moment } from './document/place-after.ts'
import { possibleSave, updatesSince } from './document/possible-save.ts'
import { rebaseWithin } from './document/rebase-within.ts'
import { UpdateLog } from './document/update-log.ts'
import { noWriters, writerOf, writersAfter, writersFor, type LineWriters } from './line-writers.ts'
import { fileBytes, MOST_BYTES_PER_UNIT, sizeAfter, sizeOf, type FileForm, type TextSize } from './text-size.ts'

// Runs of the authors and of the unsaved changes. With more of them, a single letter takes long to apply.
const MAX_UNSAVED_RUNS = 100_000

/**
 * The text of an open note with its versions, and how it differs from the note file. What is durable and who receives
 * it is decided elsewhere. Pure.
 */
export class NoteDocument {
  #text: Text
  readonly #log: UpdateLog
  readonly #file = new MatchedFile()
  /** The text that the file has, as far as both sides agree on it. */
  #agreed: Text
  #unsaved: ChangeSet
  #saving: Saving | undefined
  /** Who wrote the lines that are not in the file. */
  #writers: LineWriters
  /** The size of a text, computed when first needed. */
  #size: { of: Text; is: TextSize } | undefined

  constructor({ text, agreed = text, saving, file, writers }: Beginning) {
    this.#text = asText(text)
    this.#agreed = agreed === text ? this.#text : asText(agreed)
    this.#unsaved = between(this.#agreed, this.#text)
    this.#writers = writersFor(this.#text, writers)
    if (file !== undefined) this.#file.learn(file, this.#agreed)
    // A text that is in no file has a version after that of the file.
    this.#log = new UpdateLog(saving || !this.#unsaved.empty ? 1 : 0)
    this.#saving = saving && possibleSave(saving, this.mark())
    if (this.#saving) this.#log.add(updatesSince(this.#saving), this.#saving.version)
  }

  get text(): string {
    return stringAfter(this.#agreed, this.#unsaved, this.#text)
  }

  /** About the bytes of memory that the text and its latest updates take. */
  get size(): number {
    return openTextSize({ characters: this.#text.length, lines: this.#text.lines }) + this.#log.bytes
  }

  /** Forgets most of the latest updates; returns about the bytes that this frees. */
  forgetUpdates(): number {
    return this.#log.shrink(this.#saving?.version)
  }

  get version(): number {
    return this.#log.version
  }

  /** Who wrote the lines that are not in the file; those of the text that is being written, while it is. */
  get writers(): LineWriters {
    return this.#writers
  }

  get agreed(): string {
    return stringOf(this.#agreed)
  }

  get isSaved(): boolean {
    return this.#unsaved.empty && (this.#saving?.since.empty ?? true)
  }

  /** The text that is being written to the file, with the updates since. */
  get saving(): Pick<Saving, 'version' | 'text' | 'writers'> | undefined {
    return this.#saving
  }

  /** Whether so much is unsaved, in so many places, that it must be saved before more is applied. */
  get isCrowded(): boolean {
    return !this.isSaved && this.#writers.length + sectionsOf(this.#unsaved) > MAX_UNSAVED_RUNS
  }

  /** The updates after a version, or undefined when they are not kept any more. */
  since(version: number): readonly LiveUpdate[] | undefined {
    return this.#log.since(version)
  }

  /** The length of the text at a version that is still known. */
  lengthAt(version: number): number | undefined {
    const after = this.since(version)
    return after && (after[0]?.changes.length ?? this.#text.length)
  }

  /**
   * Returns a function that maps a place of a client from `version` to `upTo`; undefined if one of the two is no longer
   * known, or if too much has changed in between. A caret stays after what its own client types there.
   */
  placeAt({ version, upTo, clientID }: Moment): ((place: number) => number) | undefined {
    const length = this.lengthAt(version)
    const missed = this.since(version)?.slice(0, Math.max(0, upTo - version))
    if (length === undefined || !missed || version > upTo) return undefined
    const placed = placeAfter(missed, clientID)
    return placed && ((place) => placed(Math.min(place, length)))
  }

  /** A push as it applies to the present text; fails with `invalid_request` or `stale_doc`. Changes nothing. */
  rebase({ version, clientID, updates, by }: Push): LiveUpdate[] {
    const over = this.since(version)
    if (over === undefined) throw fail('stale_doc', { reason: 'The version is too old.' })
    const parsed = checkedChanges(updates, this.lengthAt(version)!)
    const rebased = rebaseWithin({ client: clientID, changes: parsed }, over.map(changeOf))
    let text = this.#text
    for (const [nth, changes] of rebased.entries()) {
      refuseTornCharacters(changes, text)
      if (nth + 1 < rebased.length) text = changes.apply(text)
    }
    return rebased.map((changes) => ({ changes, clientID, by }))
  }

  /** Whether updates keep the file within a size, or make it smaller. Counts bytes only if the length is not enough. */
  fits(updates: readonly LiveUpdate[], { maxBytes, form }: { maxBytes: number; form: FileForm }): boolean {
    const changes = changesOf(updates)
    if (!changes || changes.newLength * MOST_BYTES_PER_UNIT + form.markBytes <= maxBytes) return true
    if (this.#size?.of !== this.#text) this.#size = { of: this.#text, is: sizeOf(this.#text) }
    const bytes = fileBytes(sizeAfter(this.#size.is, this.#text, changes), form)
    return bytes <= maxBytes || bytes < fileBytes(this.#size.is, form)
  }

  /**
   * Applies updates of one author. They are applied as one change, because the lines of the note and all that is unsaved
   * are walked for each change.
   */
  apply(updates: readonly LiveUpdate[]): void {
    const changes = changesOf(updates)
    if (!changes) return
    const before = this.#text
    this.#text = changes.apply(before)
    if (this.#size?.of === before) this.#size = { of: this.#text, is: sizeAfter(this.#size.is, before, changes) }
    const by = updates[0]?.by
    const written = { before, changes, after: this.#text, by: by && writerOf(by) }
    this.#writers = writersAfter(this.#writers, written)
    if (this.#saving) this.#saving.later = writersAfter(this.#saving.later, written)
    this.#unsaved = this.#unsaved.compose(changes)
    if (this.#saving) this.#saving.since = this.#saving.since.compose(changes)
    // While the file is being written, the updates since then may have to be logged again.
    this.#log.add(updates, this.#saving?.version)
  }

  /** The update that merges a change of the file, whose text is then agreed; undefined if the file has nothing new. */
  mergeFile(file: string | Text, clientID: string, who: LiveWho): LiveUpdate | undefined {
    const changed = asText(file)
    if (changed.eq(this.#agreed)) return undefined
    const before = this.#text
    const sides = { base: this.#agreed, mine: before, other: changed }
    const theirs = between(this.#agreed, changed)
    const { theirs: changes, ours, text } = mergeApart({ ...sides, ours: this.#unsaved, theirs })
    this.#unsaved = ours
    this.#agreed = changed
    // A text that the file has is kept once.
    this.#text = ours.empty ? changed : text
    // An author who changed the file through the daemon is in the history already.
    const by = who.kind === 'outside' ? outsideAuthor : undefined
    this.#writers = writersAfter(this.#writers, { before, changes, after: this.#text, by })
    const update = { changes, clientID, who }
    this.#saving = undefined
    this.#log.add([update])
    return update
  }

  /**
   * The text and the authors of its lines, merged with what the file has and the text does not, and the changes that
   * lead there from the file, if they are known. Changes nothing.
   */
  with(file: string): { text: Text; writers: LineWriters; changes: ChangeSet | undefined } {
    const before = this.joined()
    const changes = this.changesFrom(file)
    // During a save, the file has one of the two texts. Changes by others are merged when the save is done.
    if (this.#saving || changes) return { text: before, writers: this.#writers, changes }
    const other = toText(toEditorText(file))
    const theirs = between(this.#agreed, other)
    const merged = mergeApart({ base: this.#agreed, mine: before, other, ours: this.#unsaved, theirs })
    const written = { before, changes: merged.theirs, after: merged.text, by: undefined }
    return { text: merged.text, writers: writersAfter(this.#writers, written), changes: merged.ours }
  }

  /** The changes that lead from a file to the text; undefined for a file with a text of others. */
  changesFrom(file: string): ChangeSet | undefined {
    if (this.#file.has(file, this.#agreed)) return this.#unsaved
    return this.#saving && this.#file.has(file, this.#saving.text) ? this.#saving.since : undefined
  }

  /** The text is about to be written to a file that has the text `before`. Returns the text of the next file. */
  startSaving(before: string): { file: string; version: number } {
    const file = fileTextAfter({ file: before, text: this.joined(), changes: this.changesFrom(before) })
    this.#file.learn(file, this.#text)
    this.#saving = {
      version: this.version,
      text: this.#text,
      since: ChangeSet.empty(this.#text.length),
      writers: this.#writers,
      later: noWriters(this.#text),
    }
    return { file, version: this.version }
  }

  /** The text, with its string kept for whoever needs it next. */
  joined(): Text {
    stringAfter(this.#agreed, this.#unsaved, this.#text)
    return this.#text
  }

  /** The file has the text that was being saved. */
  saved(): void {
    if (!this.#saving) return
    this.#agreed = this.#saving.text
    this.#unsaved = this.#saving.since
    this.#writers = this.#saving.later
    this.#saving = undefined
  }

  /** The present state, as a value that later changes do not affect. */
  mark(): DocumentMark {
    return { version: this.version, text: this.#text, agreed: this.#agreed, writers: this.#writers }
  }

  /** Undoes everything since a mark. */
  rollBack({ version, text, agreed, writers }: DocumentMark): void {
    this.#log.rollBack(version)
    this.#text = text
    this.#agreed = agreed
    this.#unsaved = between(agreed, text)
    this.#writers = writersFor(text, writers)
    this.#saving &&= { ...this.#saving, since: between(this.#saving.text, text), later: this.#writers }
  }
}
