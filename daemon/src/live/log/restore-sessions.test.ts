import type { DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { memoryDisk, quietSessions } from '../../../../test/support/live-model.ts'
import { baselineOf } from '../../files/baseline.ts'
import { joinSession } from '../join-session.ts'
import { openLiveSessions } from '../open-live-sessions.ts'

const by = { kind: 'local' } as const
const stateOf = (path: string, text: string) => ({ path, text, baseline: baselineOf(Buffer.from(text)) })

/** Notes and a log that outlive the processes that are killed. */
function vaultOf(notes: Record<string, string>) {
  let logged: Buffer = Buffer.alloc(0)

  /** A process that uses them: `kill` ends it, `write` and `find` may. */
  async function start(
    faults: { write?(path: string): 'before' | 'after' | undefined; find?(path: string): void } = {},
  ) {
    const disk = memoryDisk('')
    disk.state.synced = logged
    const kill = () => {
      disk.state.isDead = true
      logged = disk.state.synced
    }
    const sessions = await openLiveSessions({
      files: {
        ...disk.files,
        async find(path) {
          faults.find?.(path)
          return stateOf(path, notes[path]!)
        },
        async write({ path, next }) {
          const text = await next(stateOf(path, notes[path]!))
          if (disk.state.isDead) throw new Error('killed')
          const killed = faults.write?.(path)
          if (killed !== 'before') notes[path] = text
          if (killed) kill()
          if (killed) throw new Error('killed')
          return baselineOf(Buffer.from(text))
        },
      },
      file: disk.file,
      ...quietSessions(),
      logged,
    })
    await sessions.restoreAll()
    return { sessions, kill }
  }
  return { notes, start }
}

type Sessions = Awaited<ReturnType<ReturnType<typeof vaultOf>['start']>>['sessions']

async function type(sessions: Sessions, path: string, words: string): Promise<void> {
  const session = await sessions.open(path, by)
  const { version, text } = await session.whenLogged()
  await session.push({ version, clientID: path + words, seq: 1, updates: [[text.length, [0, words]]], by })
}

test('a second kill, while the first of several notes is restored, loses nothing of the others', async () => {
  verifies('live.kill-loses-nothing')
  const { notes, start } = vaultOf({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' })
  const first = await start()
  for (const path of Object.keys(notes)) await type(first.sessions, path, ' typed')
  first.kill()
  expect(notes).toEqual({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' })

  await start({ write: (path) => (path === 'a.md' ? 'before' : undefined) })
  const { sessions } = await start()
  expect(notes).toEqual({ 'a.md': 'a typed', 'b.md': 'b typed', 'c.md': 'c typed' })
  await sessions.close()
})

test.each([
  ['has not reached its file', 'before', 'one'],
  ['has reached its file', 'after', 'one typed'],
] as const)(
  'what was typed is in a note once, although its file cannot be read after a kill and a save %s',
  async (_what, killed, then) => {
    verifies('live.kill-loses-nothing')
    const { notes, start } = vaultOf({ 'note.md': 'one' })
    const first = await start({ write: () => killed })
    await type(first.sessions, 'note.md', ' typed')
    const failed = await first.sessions.flush()
    expect([...failed]).toEqual([['note.md', new Error('killed')]])
    expect(notes).toEqual({ 'note.md': then })

    let isAway = true
    const away = () => {
      if (isAway) throw fail('storage_failed')
    }
    const second = await start({ find: away, write: () => (away(), undefined) })
    await type(second.sessions, 'note.md', ' more')
    // The log is rewritten meanwhile, and read again.
    second.kill()
    const third = await start({ find: away, write: () => (away(), undefined) })
    isAway = false
    await third.sessions.flush()
    expect(notes).toEqual({ 'note.md': 'one typed more' })
    await third.sessions.close()
  },
)

test.each([
  ['before a kill that a save has survived', true],
  ['after it', false],
])(
  'words that are taken back %s do not come back, although the file cannot be read meanwhile',
  async (_when, isBefore) => {
    verifies('live.kill-loses-nothing')
    const { notes, start } = vaultOf({ 'note.md': 'one' })
    const takeBack = async (sessions: Sessions) => {
      const session = await sessions.open('note.md', by)
      const { version, text } = await session.whenLogged()
      expect(text).toBe('one typed')
      await session.push({ version, clientID: 'back', seq: 1, updates: [[3, [6]]], by })
    }
    const saving = Promise.withResolvers<void>()
    const first = await start({ write: () => (saving.resolve(), isBefore ? undefined : 'before') })
    await type(first.sessions, 'note.md', ' typed')
    const saved = first.sessions.flush()
    await saving.promise
    if (isBefore) {
      // The file has the text. The end of the save is not in the log.
      await takeBack(first.sessions)
    }
    await saved
    first.kill()

    let isAway = true
    const away = () => {
      if (isAway) throw fail('storage_failed')
    }
    const second = await start({ find: away, write: () => (away(), undefined) })
    if (!isBefore) await takeBack(second.sessions)
    second.kill()
    const third = await start({ find: away, write: () => (away(), undefined) })
    isAway = false
    await third.sessions.flush()
    await third.sessions.close()
    expect(notes).toEqual({ 'note.md': 'one' })
  },
)

test('who opens a note that a kill left unsaved is not told that the file has its text, but why it does not', async () => {
  verifies('live.save-state')
  const { start } = vaultOf({ 'note.md': 'one' })
  const first = await start()
  await type(first.sessions, 'note.md', ' typed')
  first.kill()
  let isFull = true
  const write = () => {
    if (isFull) throw fail('storage_full')
    return undefined
  }
  const { sessions } = await start({ write })

  const told: DaemonMessage[] = []
  const send = (frame: Buffer) => void told.push(JSON.parse(frame.subarray(frame[1] === 126 ? 4 : 2).toString()))
  const participant = {
    id: 'p',
    clientId: 'client-of-ada',
    actor: by,
    send,
    backlog: () => 0,
    isOpen: () => true,
    end() {},
  }
  const session = await sessions.open('note.md', by)
  const hello = { type: 'hello', clientId: participant.clientId } as const
  await joinSession({ session, participant, hello, receipts: sessions.receipts })
  const [welcome, failed] = told
  if (welcome?.type !== 'welcome') throw new Error('not welcome')
  expect(welcome.durable.version).toBeLessThan(welcome.version)
  expect(failed).toMatchObject({ type: 'failed', code: 'storage_full' })

  isFull = false
  await sessions.flush()
  expect(told.find(({ type }) => type === 'durable')).toMatchObject({ version: welcome.version })
  await joinSession({ session, participant, hello, receipts: sessions.receipts })
  const again = told.slice(told.findLastIndex(({ type }) => type === 'welcome'))
  expect(again[0]).toMatchObject({ durable: { version: welcome.version } })
  expect(again.some(({ type }) => type === 'failed')).toBe(false)
  await sessions.close()
})
