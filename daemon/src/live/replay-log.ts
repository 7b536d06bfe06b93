import { ChangeSet, type Text } from '@codemirror/state'
import type { Actor } from '../entry/actor.ts'
import type { LogRecord, Receipt } from './log-record.ts'
import { toText } from './note-document.ts'

/** A text that the file may have had when the daemon ended. */
export type KnownFile = { baseline: string; text: string }

/** A live session as the log tells it. `files` are the states that the file may be in, the oldest first. */
export type FoundSession = {
  path: string
  text: string
  files: KnownFile[]
  by: Actor
}

type Replayed = Omit<FoundSession, 'text'> & { version: number; now: Text; texts: Map<number, string> }

/** What a log says of sessions and of clients. Records that do not fit are skipped: they belong to what was taken back. */
export function replayLog(records: readonly LogRecord[]): { sessions: FoundSession[]; receipts: Receipt[] } {
  const sessions = new Map<string, Replayed>()
  const receipts = new Map<string, Receipt>()

  for (const record of records) {
    if (record.kind === 'receipts') for (const receipt of record.receipts) receipts.set(receipt.client, receipt)
    else if (record.kind === 'forget') receipts.delete(record.client)
    else if (record.kind === 'session') sessions.set(record.epoch, begin(record))
    else if (record.kind === 'ended') sessions.delete(record.epoch)
    else {
      const session = sessions.get(record.epoch)
      if (session) follow(session, record)
      if (record.kind === 'updates' && record.seq !== undefined)
        receipts.set(record.client, { client: record.client, seq: record.seq, at: 0 })
    }
  }
  const found = [...sessions.values()].map(({ path, files, by, now }) => {
    return { path, files, by, text: now.toString() }
  })
  return { sessions: found, receipts: [...receipts.values()] }
}

type Begin = Extract<LogRecord, { kind: 'session' }>
type Follow = Extract<LogRecord, { kind: 'updates' | 'saving' | 'saved' | 'file' | 'moved' }>

function begin({ path, version, text, file, by }: Begin): Replayed {
  const files = [{ baseline: file.baseline, text: file.text ?? text }]
  return { path, version, now: toText(text), files, by, texts: new Map([[version, text]]) }
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
      const text = session.version === record.version ? session.now.toString() : session.texts.get(record.version)
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
        session.now = changes.apply(session.now)
        session.version += 1
      }
      session.by = record.by
  }
}
