import type { Log } from '@svc/shared/kit/log.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { mostLike, pathLikeness } from '../files/path-likeness.ts'
import { outsideOrigin, type ChangeOrigin, type VaultChange } from '../vaults/vault-change.ts'
import type { LiveSession } from './live-session.ts'
import type { LiveSessions } from './open-live-sessions.ts'
import type { FileState, NoteFiles, SeenFile } from './note-file.ts'
import { outsideWho, whoOf } from './participant.ts'
import type { Fate } from './session-saves.ts'

/** Brings changes of files into the sessions of open notes. */
export type FileFollower = {
  changed(change: VaultChange): void
  /**
   * A save did not find the file of a session. The watch, which says whether it was moved, may be much later than the
   * save: the text waits in the log until the watch has looked.
   */
  notFound(session: LiveSession): Fate
}

// An editor that saves by deleting and recreating a file takes less time than this, and so does a move that is seen as
// two events.
const GONE_AFTER_MS = 1500
// Much longer: the watch reports new files first, and before the rest it may wait for a disk, or make sure that many
// files are really gone.
const NEW_FOR_MS = 30_000
// A look may leave it open where a file is, for example while its disk is away.
const LOOK_AGAIN_MS = 1500
const LOOK_AGAIN_AT_MOST_MS = 60_000
// A renamed folder brings all of its files at once. Those of open notes are kept before others.
const MAX_NEW = 100

const pathBefore = ({ path }: SeenFile, { from, to }: { from: string; to: string }) => from + path.slice(to.length)
const identityOf = ({ ino, size, mtimeMs }: FileStamp) => `${ino}:${size}:${mtimeMs}`

const SAME_TEXT = 1

/** `File` is without the text while it is kept: many large files may appear at once. */
type NewFile<File = SeenFile> = { file: File; stamp: FileStamp; origin: ChangeOrigin; at: number }

/** A session whose file is not at its path. `timer` ends the session or, if no deletion was reported, looks again. */
type Missing = { timer?: NodeJS.Timeout; isDeleted: boolean }

type Deps = {
  sessions: LiveSessions
  files: Pick<NoteFiles, 'isKnown' | 'find'>
  /** Has the watch compare the vault with its disk and report what it finds; resolves to false if the vault closes. */
  look(): Promise<boolean>
  logger: Log
}

export function followFile({ sessions, files, look, logger }: Deps): FileFollower {
  const missing = new Map<LiveSession, Missing>()
  let looking: Promise<boolean> | undefined
  /** Files that have just appeared, as they are now: the other half of a move may be the file of an open note. */
  let appeared: NewFile[] = []
  /** The file of each open note as last seen. It identifies the file after a move. */
  const stamps = new WeakMap<LiveSession, FileStamp>()

  /** False for a session that has ended while its file was missing: another one may have its path by now. */
  const isOpen = (session: LiveSession) => sessions.at(session.path) === session

  const who = (origin: ChangeOrigin) => (origin.kind === 'api' ? whoOf(origin.by) : outsideWho)
  const actor = (origin: ChangeOrigin) => (origin.kind === 'api' ? origin.by : undefined)
  const report = (work: Promise<void>) =>
    void work.catch((error: unknown) =>
      logger.error({ err: error }, 'an open note could not take a change of its file'),
    )

  function take(session: LiveSession, { file, stamp, origin }: NewFile<FileState | SeenFile>): void {
    clearTimeout(missing.get(session)?.timer)
    missing.delete(session)
    session.saves.release()
    stamps.set(session, stamp)
    report(session.fileChanged(file, actor(origin), who(origin)))
  }

  function follow(session: LiveSession, found: NewFile<FileState | SeenFile>): void {
    appeared = appeared.filter((one) => one !== found)
    sessions.moved(session, found.file.path)
    take(session, found)
  }

  /**
   * How surely a file is that of a session under another name: it is the path that our own move wrote, the same file,
   * or one with the note's text, as many notes may have. 0 if it is not.
   */
  function likeness(session: LiveSession, { file, stamp, origin }: NewFile): number {
    if (origin.kind === 'api' && origin.move) return session.path === pathBefore(file, origin.move) ? 4 : 0
    if (session.path === file.path) return 0
    const last = stamps.get(session)
    if (last !== undefined && identityOf(last) === identityOf(stamp)) return 3
    if (session.saves.last.baseline !== file.baseline) return 0
    // Notes of one name are told apart by the folders above them. The result stays below 2.
    return SAME_TEXT + 1 - 1 / (1 + pathLikeness(session.path, file.path))
  }

  const found = (session: LiveSession, gone: ChangeOrigin) =>
    mostLike(appeared, (one) => (isNew(one, gone) ? likeness(session, one) : 0))

  /** As `likeness`, for all open notes at once: their number must not multiply the cost of each new file. */
  function isMovedIn(open: readonly LiveSession[]): (one: NewFile) => boolean {
    const baselines = new Set(open.map(({ saves }) => saves.last.baseline))
    const identities = new Set(open.map((session) => stamps.get(session)).map((stamp) => stamp && identityOf(stamp)))
    return ({ file, stamp, origin }) => {
      if (origin.kind === 'api' && origin.move) return sessions.at(pathBefore(file, origin.move)) !== undefined
      return baselines.has(file.baseline) || identities.has(identityOf(stamp))
    }
  }

  /** False for a file that has a session of its own. The two halves of a move by the daemon come at once. */
  function isNew(one: NewFile, gone: ChangeOrigin): boolean {
    const isOutside = one.origin.kind === 'outside' && gone.kind === 'outside'
    const age = performance.now() - one.at
    return age < (isOutside ? NEW_FOR_MS : GONE_AFTER_MS) && !sessions.at(one.file.path)
  }

  /** Removes a path from the files that have just appeared, and those that are no longer new. */
  function forget(path: string): NewFile | undefined {
    const recent = appeared.filter(({ at }) => performance.now() - at < NEW_FOR_MS)
    appeared = recent.filter(({ file }) => file.path !== path)
    return recent.find(({ file }) => file.path === path)
  }

  /** Adds a file to those that have just appeared. If there are too many, removes one that no open note is known to match. */
  function keep({ file: { path, baseline }, ...found }: NewFile): void {
    appeared = [...appeared, { ...found, file: { path, baseline } }]
    const open = sessions.all()
    if (appeared.length <= MAX_NEW + open.length) return
    const isMatch = isMovedIn(open)
    const matchless = appeared.findIndex((one) => !isMatch(one))
    appeared = appeared.toSpliced(Math.max(matchless, 0), 1)
  }

  function gone(session: LiveSession, origin: ChangeOrigin): void {
    const there = found(session, origin)
    if (there) return follow(session, there)
    const before = missing.get(session)
    if (before?.isDeleted) return
    clearTimeout(before?.timer)
    session.saves.hold()
    const end = () => {
      missing.delete(session)
      if (!isOpen(session)) return
      const later = found(session, origin)
      if (later) return follow(session, later)
      report(session.fileGone({ by: actor(origin), who: who(origin) }))
    }
    missing.set(session, { timer: setTimeout(end, GONE_AFTER_MS), isDeleted: true })
  }

  /** Looks for the file of a session until it is known whether it was moved or deleted, or it is back at its path. */
  async function search(session: LiveSession, one: Missing, waitMs: number): Promise<void> {
    looking ??= look().finally(() => (looking = undefined))
    if (!(await looking)) return
    if (!isOpen(session)) missing.delete(session)
    if (missing.get(session) !== one) return
    const there = await files.find(session.path).catch(() => undefined)
    if (missing.get(session) !== one) return
    if (there) {
      missing.delete(session)
      return session.saves.release()
    }
    if (!files.isKnown(session.path)) return gone(session, outsideOrigin)
    const again = () => report(search(session, one, Math.min(2 * waitMs, LOOK_AGAIN_AT_MOST_MS)))
    one.timer = setTimeout(again, waitMs).unref()
  }

  /** The note was deleted for good: it is in no other file, and what is typed in it must not be kept. */
  function erased(session: LiveSession, origin: ChangeOrigin): void {
    clearTimeout(missing.get(session)?.timer)
    missing.delete(session)
    report(session.fileGone({ by: actor(origin), who: who(origin), isErased: true }))
  }

  return {
    notFound(session) {
      if (!isOpen(session)) return 'deleted'
      if (!missing.has(session)) {
        const one = { isDeleted: false }
        missing.set(session, one)
        session.saves.hold()
        report(search(session, one, LOOK_AGAIN_MS))
      }
      return missing.get(session)?.isDeleted ? 'deleted' : 'unknown'
    },
    changed(change) {
      if (change.kind === 'folder_created' || change.kind === 'folder_deleted' || change.kind === 'folder_moved') return
      const { path, origin } = change
      const session = sessions.at(path)
      const earlier = forget(path)
      if (change.kind === 'deleted') {
        if (session && change.isErased) erased(session, origin)
        else if (session) gone(session, origin)
        return
      }
      if (!('text' in change.content)) return
      const { text, facts } = change.content
      const one = {
        file: { path, text, baseline: facts.baseline },
        stamp: change.stamp,
        origin,
        at: earlier?.at ?? performance.now(),
      }
      if (session) return take(session, one)
      if (!earlier && change.kind !== 'created' && change.kind !== 'found') return
      const moved = mostLike([...missing.keys()].filter(isOpen), (gone) => likeness(gone, one))
      // A file that has no more than the text may be followed by one with the name.
      if (moved && likeness(moved, one) > SAME_TEXT) follow(moved, one)
      else keep(one)
    },
  }
}
