import { fail } from '@svc/shared/wire/errors.ts'
import type { RevisedText } from '../edits/undo-edits.ts'
import { undoneByAgent } from '../audit/undone-changes.ts'
import type { Author } from '../entry/author.ts'
import { blobNameOf } from '../files/baseline.ts'
import { ignoreMissing } from '../files/fs-failure.ts'
import { isMarkdownName, parseVaultPath } from '../files/vault-path.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { NoteTexts } from '../history/note-texts.ts'
import type { VaultCommit, VaultCommits } from '../history/vault-commits.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { decodeNote, nextTurn } from '../notes/decode-note.ts'
import { currentNote } from '../notes/stored-note.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import { claimFolders } from './claim-folders.ts'
import { claimPaths } from './claim-paths.ts'
import { leftReasons, reasonOf } from './left-reasons.ts'
import { isMovedOn, moveToUndo, trackNotes, type NoteTrack } from './note-tracks.ts'
import { reviewOf } from './hash-plan.ts'
import { prepareThings } from './prepare-things.ts'
import type { PlannedNote } from './planned-note.ts'
import { trackThings } from './thing-tracks.ts'

/** What to revert. */
export type RevertWish = {
  vault: Vault
  since: string
  until: string | undefined
  path: string | undefined
  isMine: (author: Author) => boolean
}

export type RevertPlan = {
  notes: PlannedNote[]
  /** Folders that moves have created, in which nothing stays. */
  emptied: string[]
  left: { path: string; reason: string }[]
  review: string
}

/** Finds what a revert would do. Changes nothing. */
export type PrepareRevert = (wish: RevertWish) => Promise<RevertPlan>

type Deps = {
  vaultCommits: VaultCommits
  texts: NoteTexts
  historyOf: (vault: Vault) => NoteHistory
  runNoteJob: RunNoteJob
  maxNoteBytes: number
}

const MAX_COMMITS = 10_000
const MAX_ATTEMPTS = 3
const MAX_BYTES = 64 * 1024 * 1024
// A plan is kept in memory until it is carried out.
const MAX_PLANNED_CHARACTERS = 32 * 1024 * 1024

// A function, because the first number that is formatted for a locale takes 10 ms, which would delay every start.
const tooFarBack = () => `must be later: more than ${MAX_COMMITS.toLocaleString('en')} changes were made since`

const nothing = { kind: 'note' as const, text: '', revisions: [], paths: [], undone: [] }

const lengthOf = ({ text, diff, conflicts }: PlannedNote): number =>
  conflicts.reduce((sum, { now, before }) => sum + now.length + before.length, text.length + diff.length)

/** Plans reverts from the history and the notes as they are now. */
export function createPrepareRevert({ vaultCommits, texts, historyOf, runNoteJob, maxNoteBytes }: Deps): PrepareRevert {
  async function textsOf(history: NoteHistory, names: readonly (string | undefined)[]) {
    const wanted = [...new Set(names.flatMap((name) => name ?? []))]
    const sizes = await texts.sizes(history, wanted)
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES) return undefined
    const contents = await texts.contents(history, wanted)
    const decoded = new Map<string, string>()
    const pause = slices()
    for (const [index, name] of wanted.entries()) {
      decoded.set(name, decodeNote(contents[index]!) ?? '')
      await pause()
    }
    return decoded
  }

  const diffOf = (before: string, after: string) =>
    runNoteJob({ job: 'diff', input: { before, after }, cost: before.length + after.length })

  const current = (vault: Vault, path: string) =>
    currentNote({ vault, path: parseVaultPath(path), maxNoteBytes }).catch(ignoreMissing)

  async function planNote({ vault, isMine }: RevertWish, track: NoteTrack): Promise<PlannedNote[] | string> {
    const history = historyOf(vault)
    const { path, steps } = track
    if ([...track.paths].some((one) => history.withheld(one))) return leftReasons.purged
    const start = steps.findIndex((step) => step.isMine)
    const isGone = steps.at(-1)?.content === undefined
    if (start === -1 || (track.isReplaced && !isGone)) return []
    const now = track.isReplaced ? undefined : await current(vault, path)
    if (!now && !isGone && !track.isReplaced) return leftReasons.gone
    const first = start === 0 ? track.before : steps[start - 1]!.content
    const later = steps.slice(start)
    const undone = undoneByAgent(later)
    if (first === undefined) {
      if (!now) return []
      if (later.some(({ mine }) => mine !== 'all')) return leftReasons.others
      // Changes that are in no commit yet may be anybody's.
      await nextTurn(now.bytes.length)
      if (later.at(-1)!.content !== blobNameOf(now.bytes)) return leftReasons.others
      const diff = await diffOf(now.text, '')
      return [{ path, action: 'trash', diff, conflicts: [], baseline: now.baseline, ...nothing, undone }]
    }
    const byName = await textsOf(history, [first, ...later.map(({ content }) => content)])
    if (!byName) return leftReasons.large
    const revised = later.flatMap(({ content, mine, written }): RevisedText[] => {
      if (content === undefined) return []
      const isUndone = mine === 'all' || mine === 'most'
      const lines = written?.map(({ lines: count, by }) => ({ lines: count, by: by ? isMine(by) : isUndone }))
      return [{ text: byName.get(content)!, undone: isUndone, lines }]
    })
    if (isGone && !later.at(-1)!.isMine) return []
    if (isGone && now) return leftReasons.taken
    if (now && revised.at(-1)?.text !== now.text) revised.push({ text: now.text, undone: false })
    const cost = revised.reduce((sum, { text }) => sum + text.length, byName.get(first)!.length)
    const reverted = await runNoteJob({ job: 'undo', input: { first: byName.get(first)!, texts: revised }, cost })
    if (Buffer.byteLength(reverted.text) > maxNoteBytes) return leftReasons.large
    const revisions = [first, ...later.flatMap(({ content }) => content ?? [])].reverse()
    const common = {
      kind: 'note' as const,
      path,
      text: reverted.text,
      conflicts: reverted.conflicts,
      revisions,
      paths: [...track.paths],
      undone,
    }
    if (!now) {
      // Its path before the moves that are undone as well.
      const to = moveToUndo(track)?.to
      const diff = await diffOf('', reverted.text)
      const deletion = later.at(-1)!.deletions[0]
      return [{ ...common, action: 'bring_back', ...(to !== undefined && { to }), diff, baseline: undefined, deletion }]
    }
    if (reverted.text === now.text && reverted.conflicts.length === 0) return []
    return [{ ...common, action: 'edit', diff: await diffOf(now.text, reverted.text), baseline: now.baseline }]
  }

  async function planMove({ vault }: RevertWish, track: NoteTrack): Promise<PlannedNote[] | string> {
    const move = moveToUndo(track)
    const now = track.isReplaced ? undefined : await current(vault, track.path)
    if (now && isMovedOn(track)) return leftReasons.moved
    if (!move || !now) return []
    const { from, to } = move
    const undone = undoneByAgent(
      track.moves.flatMap(({ isMine, commit }) => (isMine ? { ...commit, by: [commit.author] } : [])),
    )
    return [
      { path: from, to, action: 'move_back', diff: '', conflicts: [], baseline: now.baseline, ...nothing, undone },
    ]
  }

  /** What is `unknown` is in the history and not at its path: the history does not know where it is. */
  async function planOnce(wish: RevertWish): Promise<{ plan: RevertPlan; unknown: string[] }> {
    const { vault, since, until } = wish
    const isAsked = notesAt(vault, wish.path)
    const { commits, untilThen, hasMore } = await vaultCommits(historyOf(vault), { since, until, most: MAX_COMMITS })
    if (hasMore) throw fail('invalid_request', [{ path: 'since', message: tooFarBack() }])
    const meant = new Set(commits.slice(0, untilThen))
    const isMeant = (commit: VaultCommit) => meant.has(commit)
    const pause = slices()
    const tracks = (await trackNotes(commits, wish.isMine, isMeant, pause)).filter(({ path }) => isMarkdownName(path))
    const [edits, moves]: [PlannedNote[], PlannedNote[]] = [[], []]
    const left: RevertPlan['left'] = []
    const unknown: string[] = []
    let room = MAX_PLANNED_CHARACTERS
    for (const track of tracks) {
      if (!isAsked(track.path)) continue
      const found = await planNote(wish, track).catch(reasonOf)
      const length = typeof found === 'string' ? 0 : found.reduce((sum, note) => sum + lengthOf(note), 0)
      const planned = length > room ? leftReasons.much : found
      if (planned === found) room -= length
      if (planned === leftReasons.gone) unknown.push(track.path)
      if (typeof planned === 'string') left.push({ path: track.path, reason: planned })
      else edits.push(...planned)
      if (typeof planned === 'string' || planned.some(({ action }) => action === 'trash')) continue
      const moved = await planMove(wish, track).catch(reasonOf)
      if (typeof moved === 'string') left.push({ path: track.path, reason: moved })
      else moves.push(...moved)
    }
    const foundThings = await trackThings(commits, wish.isMine, isMeant, pause)
    // A folder is not a single note: its content stays where it is, and so does the folder.
    const wanted = foundThings.filter(
      ({ kind, path }) => wish.path === undefined || (kind === 'attachment' && isAsked(path)),
    )
    const planned = await prepareThings(vault, wanted)
    left.push(...planned.left)
    unknown.push(...planned.unknown)
    const folders = planned.things.filter(({ kind }) => kind === 'folder')
    const attachments = planned.things.filter(({ kind }) => kind === 'attachment')
    const { met, unmet } = await claimPlaces(vault, [...edits, ...moves, ...attachments])
    for (const { note, now } of unmet)
      left.push({ path: note.path, reason: now === 'unusable' ? leftReasons.unusable : leftReasons.taken })
    const { madeFolders } = planned
    const claimed = await claimFolders(vault, { folders, madeFolders, notes: met })
    left.push(...claimed.left)
    const notes = [...met, ...claimed.met]
    const { emptied } = claimed
    return { plan: { notes, emptied, left, review: await reviewOf(notes, emptied) }, unknown }
  }

  return async (wish) => {
    // Before that, what is not known yet looks like what is gone.
    await wish.vault.listed
    let before = ''
    for (let attempts = 1; ; attempts++) {
      const { plan, unknown } = await planOnce(wish)
      const now = unknown.join('\0')
      if (now === before || attempts === MAX_ATTEMPTS) return plan
      before = now
      // They are being moved or deleted: a recheck waits until that is done, and then it is in the history.
      for (const path of unknown) await wish.vault.recheck(path)
    }
  }
}

/** Whether a path is the asked one, which may be in another normal form; a file that is there has its own form. */
function notesAt({ manifest }: Vault, asked: string | undefined): (path: string) => boolean {
  if (asked === undefined) return () => true
  const onDisk = manifest.onDisk(asked)
  if (manifest.hasFile(onDisk)) return (path) => path === onDisk
  return (path) => path.normalize('NFC') === asked.normalize('NFC')
}

/** A note that cannot return to its path before a move returns to the path where it was deleted, if possible. */
async function claimPlaces(vault: Vault, notes: readonly PlannedNote[]) {
  const first = await claimPaths(vault, notes)
  const refused = new Set(first.unmet.map(({ note }) => note))
  const again = notes.map((note): PlannedNote => {
    if (note.action !== 'bring_back' || note.to === undefined || !refused.has(note)) return note
    const { to: _to, ...here } = note
    return here
  })
  return again.some((note, index) => note !== notes[index]) ? claimPaths(vault, again) : first
}
