import { ChangeSet, type Text } from '@codemirror/state'
import type { Actor } from '../../entry/actor.ts'
import { writerOf, writersAfter, writersFor, type LineWriters } from '../line-writers.ts'
import { outsideAuthor, type Author } from '../../entry/author.ts'
import type { LogRecord, Receipt } from './log-record.ts'
import { ownerOf } from './receipts.ts'
import { stringOf } from '../../edits/whole-text.ts'
import { slices } from '../../watch/slices.ts'
import { linesInTurns } from '../document/text-in-turns.ts'

/** A text that the file may have had when the daemon ended. */
export type KnownFile = { baseline: string; text: string }

/** A live session as recorded in the log. `files` are the possible states of the file, oldest first. */
export type FoundSession = {
  path: string
  text: string
  files: KnownFile[]
  by: Actor
  /** Who wrote the lines that no file has. */
  writers: LineWriters
}

type Replayed = Omit<FoundSession, 'text'> & { version: number; now: Text; texts: Map<number, string> }

/**
 * The sessions and clients in a log. Records that do not fit are skipped: they belong to reverted changes. Others have
 * their turn in between, because a log may hold the texts of many large notes.
 */
export async function replayLog(
  records: Iterable<LogRecord>,
): Promise<{ sessions: FoundSession[]; receipts: Receipt[] }> {
  const pause = slices()
  const sessions = new Map<string, Replayed>()
  const receipts = new Map<string, Receipt>()

  for (const record of records) {
    if (record.kind === 'receipts') for (const receipt of record.receipts) receipts.set(receipt.client, receipt)
    else if (record.kind === 'forget') receipts.delete(record.client)
    else if (record.kind === 'session') sessions.set(record.epoch, begin(record, await linesInTurns(record.text)))
    else if (record.kind === 'ended') sessions.delete(record.epoch)
    else {
      const session = sessions.get(record.epoch)
      if (session) follow(session, record)
      if (record.kind === 'updates' && record.seq !== undefined)
        receipts.set(record.client, { client: record.client, seq: record.seq, at: 0, owner: ownerOf(record.by) })
    }
    await pause()
  }
  const found: FoundSession[] = []
  for (const { path, files, by, writers, now } of sessions.values()) {
    found.push({ path, files, by, writers, text: stringOf(now) })
    await pause()
  }
  return { sessions: found, receipts: [...receipts.values()] }
}

type Begin = Extract<LogRecord, { kind: 'session' }>
type Follow = Extract<LogRecord, { kind: 'updates' | 'saving' | 'saved' | 'file' | 'moved' }>

function begin({ path, version, text, file, by, writers }: Begin, now: Text): Replayed {
  const files = [{ baseline: file.baseline, text: file.text ?? text }]
  return {
    path,
    version,
    now,
    files,
    by,
    writers: writersFor(
      now,
      writers?.map(({ lines, by: writer }) => ({ lines, by: writer })),
    ),
    texts: new Map([[version, text]]),
  }
}

/** An author who changed the file through the daemon is in the history already. */
function writerOfUpdate({ who, by }: Extract<Follow, { kind: 'updates' }>): Author | undefined {
  if (who === undefined) return writerOf(by)
  return who.kind === 'outside' ? outsideAuthor : undefined
}

function follow(session: Replayed, record: Follow): void {
  switch (record.kind) {
    case 'moved':
      session.path = record.path
      return
    case 'file':
      session.files = [{ baseline: record.baseline, text: record.text }]
      return
    case 'saving': {
      const text = session.version === record.version ? stringOf(session.now) : session.texts.get(record.version)
      if (text === undefined) return
      session.texts.set(record.version, text)
      session.files.push({ baseline: record.baseline, text })
      return
    }
    case 'saved':
      session.files = session.files.filter(({ baseline }) => baseline === record.baseline).slice(-1)
      return
    case 'updates':
      if (record.version !== session.version) return
      for (const json of record.changes) {
        const changes = ChangeSet.fromJSON(json)
        if (changes.length !== session.now.length) return
        const before = session.now
        session.now = changes.apply(before)
        const by = writerOfUpdate(record)
        session.writers = writersAfter(session.writers, { before, changes, after: session.now, by })
        session.version += 1
      }
      session.by = record.by
  }
}
