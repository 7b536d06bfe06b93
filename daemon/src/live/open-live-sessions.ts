import { randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { countLines } from '../edits/line-runs.ts'
import type { Actor } from '../entry/actor.ts'
import { identityKey } from '../files/vault-path.ts'
import type { FailedSaves } from '../vaults/live-notes.ts'
import { Audience } from './audience.ts'
import { openTextSize, type OpenTexts } from './document/open-texts.ts'
import { fitsOneTurn, textInTurns } from './document/text-in-turns.ts'
import { decodeFrames, generationOf } from './log/log-frame.ts'
import { LiveSession } from './live-session.ts'
import { NoteDocument } from './note-document.ts'
import type { NoteFiles } from './note-file.ts'
import { Receipts } from './log/receipts.ts'
import { replayLog } from './log/replay-log.ts'
import { restoreSessions } from './log/restore-sessions.ts'
import type { Fate } from './session-saves.ts'
import type { Beginning } from './session-state.ts'
import { formOf } from './text-size.ts'
import { writeAheadLog, type LogFile } from './log/write-ahead-log.ts'
import type { WriteBehindTimes } from './write-behind.ts'

const newEpoch = () => randomBytes(12).toString('base64url')

type Options = {
  files: NoteFiles
  file: LogFile
  /** The content of the log file when the daemon started. */
  logged: Buffer
  texts: OpenTexts
  maxNoteBytes: number
  writeBehind: WriteBehindTimes
  /** How long a session without participants waits for one to come back. */
  lingerMs: number
  /** A save did not find the file. By default, the session ends. */
  onMissing?(session: LiveSession): Fate
  clock: Clock
  logger: Log
}

export type LiveSessions = Awaited<ReturnType<typeof openLiveSessions>>

/** The open notes of one vault, and what a crash has left of those that were open before. */
export async function openLiveSessions(options: Options) {
  const { files, file, logged, texts, maxNoteBytes, writeBehind, lingerMs, onMissing, clock, logger } = options
  const { sessions: found, receipts: known } = await replayLog(decodeFrames(logged))
  const receipts = new Receipts(
    clock,
    known.map((receipt) => ({ ...receipt, at: receipt.at || clock.now().getTime() })),
  )
  /** By the path on disk: notes may differ in nothing but capitals or normal form. */
  const sessions = new Map<string, LiveSession>()
  const all = () => [...sessions.values()]
  const lingering = new Map<LiveSession, NodeJS.Timeout>()
  /** The number of clients that have opened a session and not joined it yet. */
  const joining = new Map<LiveSession, number>()
  let isClosing = false

  const log = writeAheadLog({
    file,
    generation: generationOf(logged),
    snapshot() {
      const list = receipts.list()
      return [() => ({ kind: 'receipts', receipts: list }), ...all().flatMap((session) => session.logRecords())]
    },
    onFailure: (error) => {
      for (const session of all()) session.rollBack(error)
    },
  })

  const add = (beginning: Beginning): LiveSession => {
    const session: LiveSession = new LiveSession(beginning, {
      files,
      log,
      receipts,
      audience: new Audience(),
      maxNoteBytes,
      texts,
      writeBehind,
      clock,
      logger,
      onGone: () => drop(session),
      onMissing: async () => onMissing?.(session) ?? session.fileGone().then(() => 'deleted'),
      onSaved: () => {
        if (all().every(({ isSaved }) => isSaved)) log.trim()
        if (session.audience.size === 0) linger(session)
      },
    })
    sessions.set(session.path, session)
    return session
  }

  function drop(session: LiveSession): void {
    clearTimeout(lingering.get(session))
    lingering.delete(session)
    if (sessions.get(session.path) === session) sessions.delete(session.path)
  }

  const isIdle = (session: LiveSession) => session.isSaved && session.audience.size === 0 && !joining.has(session)

  function linger(session: LiveSession): void {
    clearTimeout(lingering.get(session))
    const end = () => {
      lingering.delete(session)
      if (!isIdle(session)) return
      drop(session)
      session.close()
    }
    lingering.set(session, setTimeout(end, lingerMs))
  }

  /** The session of the note that a path names. */
  const find = (path: string) => sessions.get(files.onDisk(path))

  /** A disk that ignores capitals finds a file under other names too. */
  function alike(path: string): LiveSession | undefined {
    if (files.isKnown(files.onDisk(path))) return undefined
    return all().find((session) => identityKey(session.path) === identityKey(path) && files.isKnown(session.path))
  }

  /**
   * The session of a note, opened if there is none; fails with `not_found`. It stays open until the caller has called
   * `joined`.
   */
  function open(path: string, by: Actor): Promise<LiveSession> {
    return files.inQueue(path, async () => {
      if (isClosing) throw fail('vault_closing')
      const session = find(path) ?? alike(path) ?? (await begin(path, by))
      joining.set(session, (joining.get(session) ?? 0) + 1)
      return session
    })
  }

  async function begin(path: string, by: Actor): Promise<LiveSession> {
    makeRoom()
    const note = await files.find(path)
    if (!note) throw fail('not_found')
    const there = sessions.get(note.path)
    if (there) return there
    const opened = texts.reserve(openTextSize({ characters: note.text.length, lines: countLines(note.text) }))
    try {
      const document = new NoteDocument({ text: await textInTurns(note.text), file: note.text })
      // A change of the file while others had their turn was not reported to this session, which did not exist yet.
      const isAsRead = fitsOneTurn(note.text) || (await files.find(path))?.baseline === note.baseline
      if (isClosing) throw fail('vault_closing')
      if (!isAsRead) return await begin(path, by)
      const form = formOf(note.text)
      return add({ epoch: newEpoch(), path: note.path, document, baseline: note.baseline, form, by })
    } finally {
      opened()
    }
  }

  function makeRoom(): void {
    if (sessions.size >= liveLimits.maxOpenNotes && openNotes.closeIdle() === undefined)
      throw fail('too_many_requests', { maxOpenNotes: liveLimits.maxOpenNotes })
  }

  const openNotes = {
    size: () => all().reduce((sum, { memory }) => sum + memory.size, 0),
    forgetUpdates: () => all().reduce((sum, { memory }) => sum + memory.forgetUpdates(), 0),
    closeIdle() {
      for (const session of lingering.keys()) {
        if (!isIdle(session)) continue
        drop(session)
        session.close()
        return session.memory.size
      }
      return undefined
    },
  }
  texts.add(openNotes)

  /** A participant has left: what it typed is saved soon, and the session ends when nobody comes back. */
  function left(session: LiveSession): void {
    if (isClosing || session.audience.size > 0) return // `close` saves it
    if (session.isSaved) linger(session)
    else session.saves.saveUnattended()
  }

  /** Tries to save every session. */
  async function saveEach(save: (session: LiveSession) => Promise<void>): Promise<FailedSaves> {
    const failed = new Map<string, unknown>()
    await Promise.all(all().map((session) => save(session).catch((error: unknown) => failed.set(session.path, error))))
    return failed
  }

  return {
    receipts,
    open,
    refuseWhenFull: files.refuseWhenFull,
    find,
    /** The session of the note with exactly this path on disk. */
    at: (path: string) => sessions.get(path),
    all,
    /** The unsaved text of every note. */
    unsaved: () => all().flatMap((session) => session.unsaved() ?? []),
    /** The caller of `open` has joined the session, or never will. */
    joined(session: LiveSession): void {
      const others = joining.get(session)! - 1
      if (others > 0) joining.set(session, others)
      else joining.delete(session)
      left(session)
    },
    left,
    /** A client has nothing unsent, so its receipt can be forgotten. */
    forget(client: string): void {
      if (receipts.accepted(client) === 0) return
      receipts.forget(client)
      log.note({ kind: 'forget', client })
    },
    moved(session: LiveSession, path: string): void {
      sessions.delete(session.path)
      session.moved(path)
      sessions.set(path, session)
    },
    /** Restores what a crash left in the log and writes it to the note files. Nothing else runs meanwhile. */
    restoreAll: () =>
      // A new epoch, because clients may have received changes of the file that were never in the log.
      restoreSessions({
        found,
        files,
        open: (beginning) => add({ ...beginning, epoch: newEpoch() }),
        linger,
        logger,
      }),
    flush: () => saveEach(async (session) => (session.isSaved ? undefined : session.saves.save())),
    flushInQueue: () => saveEach((session) => session.saves.saveInQueue()),
    /** Resolves when what happened to the sessions so far is in the log, or could not be written. */
    logged: log.attempted,
    /** Saves everything, closes the connections, and saves what was typed until then. */
    async close(): Promise<void> {
      isClosing = true
      await saveEach((session) => session.saves.saveAtEnd())
      for (const session of all()) session.close()
      const failed = await saveEach((session) => session.saves.saveAtEnd())
      for (const error of failed.values())
        logger.error({ err: error }, 'an open note could not be saved at the end; the log keeps it')
      for (const timer of lingering.values()) clearTimeout(timer)
      texts.delete(openNotes)
      await log.close()
      if (all().every(({ isSaved }) => isSaved) && receipts.list().length === 0) await file.remove()
    },
  }
}
