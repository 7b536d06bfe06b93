import { setImmediate, setTimeout } from 'node:timers/promises'
import { liveLimits, type LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { memoryDisk, quietSessions } from '../../../test/support/live-model.ts'
import { baselineOf } from '../files/baseline.ts'
import type { LiveSession } from './live-session.ts'
import { OpenTexts } from './document/open-texts.ts'
import { openLiveSessions } from './open-live-sessions.ts'
import { outsideWho } from './participant.ts'

const by = { kind: 'local' } as const
const options = quietSessions()

test('what is typed while the notes are saved at the end is in the file too', async () => {
  const disk = memoryDisk('one')
  let session: LiveSession | undefined
  let typed = 0
  const type = (version: number, length: number, text: string) =>
    session!.push({ version, clientID: 'c', seq: ++typed, updates: [[length, [0, text]]], by })
  const sessions = await openLiveSessions({
    files: {
      ...disk.files,
      async write(change) {
        const baseline = await disk.files.write(change)
        if (typed === 1) await type(1, 5, ' three')
        return baseline
      },
    },
    file: disk.file,
    ...options,
  })
  session = await sessions.open('note.md', by)
  await type(0, 3, ' 2')
  await sessions.close()
  expect(disk.state.note).toBe('one 2 three')
  await expect(sessions.open('note.md', by)).rejects.toMatchObject({ code: 'vault_closing' })
})

test('typing into open notes does not pass the limit of open text, and is refused whole', async () => {
  verifies('live.limits')
  const disk = memoryDisk('')
  const sessions = await openLiveSessions({
    files: disk.files,
    file: disk.file,
    ...options,
    texts: new OpenTexts(2_000),
  })
  const lines = {
    version: 0,
    clientID: 'c',
    seq: 1,
    updates: [[[0, ...Array<string>(21).fill('')]]] as LiveChanges[],
    by,
  }
  const [one, other] = [await sessions.open('one.md', by), await sessions.open('other.md', by)]
  await one.push({ ...lines, clientID: 'one' })
  await expect(other.push(lines)).rejects.toMatchObject({ code: 'too_many_requests' })
  expect((await other.whenLogged()).text).toBe('')
  await one.push({ version: 1, clientID: 'one', seq: 2, updates: [[[20]]], by })
  await other.push(lines)
  await sessions.close()
})

test('what open notes remember of their latest updates counts as open text, and is forgotten before anybody is refused', async () => {
  verifies('live.limits')
  const disk = memoryDisk('x'.repeat(20_000))
  const limit = 400_000
  const sessions = await openLiveSessions({
    files: disk.files,
    file: disk.file,
    ...options,
    maxNoteBytes: 100_000,
    texts: new OpenTexts(limit),
  })
  const [one, other] = [await sessions.open('one.md', by), await sessions.open('other.md', by)]
  const rewrite = (seq: number) => {
    const updates: LiveChanges[] = [[[20_000, 'y'.repeat(20_000)]]]
    return one.push({ version: seq - 1, clientID: 'c', seq, updates, by })
  }
  let most = 0
  for (let seq = 1; seq <= 40; seq++) {
    await rewrite(seq)
    most = Math.max(most, one.memory.size + other.memory.size)
  }
  expect(most).toBeGreaterThan(limit / 2)
  expect(most).toBeLessThanOrEqual(limit)
  await other.push({ version: 0, clientID: 'd', seq: 1, updates: [[20_000, [0, 'more']]], by })
  await sessions.close()
})

test('a file that was just written is read with what is typed, also before it has entered the text', async () => {
  verifies('live.outside-enters')
  const disk = memoryDisk('one\ntwo\n')
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options })
  const session = await sessions.open('note.md', by)
  const typed = session.push({ version: 0, clientID: 'c', seq: 1, updates: [[3, [0, ' typed'], 5]], by })
  const text = 'one\ntwo and an edit\n'
  disk.state.note = text
  const entered = session.fileChanged(
    { path: 'note.md', text, baseline: baselineOf(Buffer.from(text)) },
    undefined,
    outsideWho,
  )
  const both = 'one typed\ntwo and an edit\n'
  expect(session.unsavedText(text)).toBe(both)
  await Promise.all([typed, entered])
  expect(session.unsavedText(text)).toBe(both)
  await sessions.close()
  expect(disk.state.note).toBe(both)
})

test('an outside edit of what a save has just written, before that save is done, enters the text once', async () => {
  verifies('live.outside-enters')
  const disk = memoryDisk('one')
  let session: LiveSession | undefined
  let told: Promise<void> | undefined
  const sessions = await openLiveSessions({
    files: {
      ...disk.files,
      async write(change) {
        const baseline = await disk.files.write(change)
        const text = `${disk.state.note} outside`
        if (told) return baseline
        disk.state.note = text
        told = session!.fileChanged(
          { path: 'note.md', text, baseline: baselineOf(Buffer.from(text)) },
          undefined,
          outsideWho,
        )
        for (let turn = 0; turn < 10; turn++) await setImmediate()
        return baseline
      },
    },
    file: disk.file,
    ...options,
  })
  session = await sessions.open('note.md', by)
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[3, [0, ' typed']]], by })
  await session.saves.save()
  await told
  await sessions.flush()
  expect((await session.whenLogged()).text).toBe('one typed outside')
  expect(disk.state.note).toBe('one typed outside')
  await sessions.close()
})

test.each([
  ['nobody', ''],
  ['an outside editor', ' outside'],
])(
  'text of a save that failed after its rename is in the note once when %s writes before the next save',
  async (_who, more) => {
    verifies('live.outside-enters')
    const disk = memoryDisk('one')
    let isFaulty = true
    const sessions = await openLiveSessions({
      files: {
        ...disk.files,
        async write(change) {
          const baseline = await disk.files.write(change)
          if (isFaulty) throw fail('storage_failed')
          return baseline
        },
      },
      file: disk.file,
      ...options,
    })
    const session = await sessions.open('note.md', by)
    await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[3, [0, ' typed']]], by })
    await expect(session.saves.save()).rejects.toMatchObject({ code: 'storage_failed' })
    isFaulty = false
    disk.state.note += more
    await session.push({ version: 1, clientID: 'c', seq: 2, updates: [[[0, 'zero '], 9]], by })
    await session.saves.save()
    expect((await session.whenLogged()).text).toBe(`zero one typed${more}`)
    expect(disk.state.note).toBe(`zero one typed${more}`)
    expect(session.isSaved).toBe(true)
    await sessions.close()
  },
)

test('an outside edit that is told while a save brings it into the text is not overwritten by that save', async () => {
  verifies('live.outside-enters')
  const disk = memoryDisk('one')
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options })
  const session = await sessions.open('note.md', by)
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[3, [0, ' typed']]], by })
  const text = 'outside one'
  const file = { path: 'note.md', text, baseline: baselineOf(Buffer.from(text)) }
  let attempts = 0
  let told: Promise<unknown> | undefined
  const { write } = disk.files
  disk.files.write = (change) =>
    write({
      ...change,
      async next(current) {
        if (++attempts === 1) {
          const first = await change.next(current)
          disk.state.note = text
          return first
        }
        // The second attempt waits until this is in the log, and meanwhile the session learns of the edit of the file.
        const pushed = session.push({ version: 1, clientID: 'c', seq: 2, updates: [[9, [0, ' more']]], by })
        const next = change.next(current)
        told = Promise.all([pushed, session.fileChanged(file, undefined, outsideWho)])
        return next
      },
    })
  await session.saves.save()
  await told
  await sessions.flush()
  expect((await session.whenLogged()).text).toBe('outside one typed more')
  expect(disk.state.note).toBe('outside one typed more')
  await sessions.close()
})

test.each([
  ['line feeds', 'a\n'.repeat(499)],
  ['carriage returns and line feeds', 'a\r\n'.repeat(332)],
  ['a byte order mark and characters of three bytes', `\uFEFF${'‘'.repeat(331)}a`],
])('a note with %s may grow to the limit, and not beyond it', async (_how, text) => {
  verifies('limits.note')
  const disk = memoryDisk(text)
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options })
  const session = await sessions.open('note.md', by)
  const { length } = (await session.whenLogged()).text
  const room = options.maxNoteBytes - Buffer.byteLength(text)
  const type = (version: number, seq: number, at: number, words: string) =>
    session.push({ version, clientID: 'c', seq, updates: [[at, [0, words]]], by })
  await type(0, 1, length, 'x'.repeat(room))
  await expect(type(1, 2, length + room, 'x')).rejects.toMatchObject({ code: 'payload_too_large' })
  await sessions.flush()
  expect(disk.state.note).toBe(text + 'x'.repeat(room))
  await sessions.close()
})

test('a note that an outside editor has made too large can be made smaller', async () => {
  verifies('limits.note')
  const disk = memoryDisk('one')
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options })
  const session = await sessions.open('note.md', by)
  const text = 'x'.repeat(1_200)
  disk.state.note = text
  const file = { path: 'note.md', text, baseline: baselineOf(Buffer.from(text)) }
  await session.fileChanged(file, undefined, outsideWho)
  const push = (seq: number, changes: LiveChanges) =>
    session.push({ version: seq, clientID: 'c', seq, updates: [changes], by })
  await push(1, [[1], 1_199])
  await expect(push(2, [1_199, [0, 'y']])).rejects.toMatchObject({ code: 'payload_too_large' })
  await sessions.close()
})

test('a session that a client is about to join is not closed to make room for another note', async () => {
  const disk = memoryDisk('one')
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options })
  const session = await sessions.open('0.md', by)
  sessions.joined(session)
  for (let nth = 1; nth < liveLimits.maxOpenNotes; nth++) await sessions.open(`${nth}.md`, by)
  expect(await sessions.open('0.md', by)).toBe(session)
  await expect(sessions.open('more.md', by)).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(sessions.find('0.md')).toBe(session)
  sessions.joined(session)
  await sessions.open('more.md', by)
  expect(sessions.find('0.md')).toBeUndefined()
  await sessions.close()
})

test('large notes that nobody uses are closed to make room for the text of another', async () => {
  const limit = 4 * 1024 * 1024
  const disk = memoryDisk('x'.repeat(limit / 4))
  const texts = new OpenTexts(limit)
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options, texts })
  const used = await sessions.open('0.md', by)
  for (const nth of [1, 2]) sessions.joined(await sessions.open(`${nth}.md`, by))
  sessions.joined(await sessions.open('3.md', by))
  expect([1, 2, 3].map((nth) => sessions.find(`${nth}.md`) !== undefined)).toEqual([false, true, true])
  for (const nth of [2, 3]) await sessions.open(`${nth}.md`, by)
  await expect(sessions.open('4.md', by)).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(sessions.find('0.md')).toBe(used)
  await sessions.close()
})

test('a large file that changes while it is opened is opened as it is then', async () => {
  verifies('live.outside-enters')
  const disk = memoryDisk('line\n'.repeat(100_000))
  const sessions = await openLiveSessions({ files: disk.files, file: disk.file, ...options })
  const opened = sessions.open('note.md', by)
  await setImmediate()
  disk.state.note = 'other\n'.repeat(100_000)
  expect((await opened).memory.size).toBe(600_000 + 50 * 100_001)
  await sessions.close()
})

/** A session in which somebody begins to type every 4 ms, on a disk that takes 40 ms to sync its log. */
async function typedInWithoutPause() {
  const disk = memoryDisk('')
  const append: typeof disk.file.append = async (bytes) => {
    await setTimeout(40)
    return disk.file.append(bytes)
  }
  const sessions = await openLiveSessions({
    files: disk.files,
    file: { ...disk.file, append },
    ...options,
    maxNoteBytes: 1_000_000,
  })
  const session = await sessions.open('note.md', by)
  const pushes: Promise<void>[] = []
  const connections = { haveEnded: false }
  const hasEnded = () => connections.haveEnded
  const type = () => {
    const clientID = `client-${pushes.length}`
    const push = session.push({ version: 0, clientID, seq: 1, updates: [[[0, 'x']]], by, hasEnded })
    push.catch(() => {})
    pushes.push(push)
  }
  const typing = setInterval(type, 4)
  onTestFinished(() => clearInterval(typing))
  await setTimeout(100)
  const stop = async () => {
    clearInterval(typing)
    await Promise.all(pushes)
    await sessions.close()
    return pushes.length
  }
  return { disk, session, connections, stop }
}

test('neither a save nor somebody who joins waits for a pause of those who type', async () => {
  verifies('live.save-state')
  const { disk, session, stop } = await typedInWithoutPause()
  const done = Promise.all([session.saves.save(), session.whenLogged()]).then(() => 'done')
  const first = await Promise.race([done, setTimeout(4_000, 'kept waiting')])
  const saved = disk.state.note.length
  expect(first).toBe('done')
  expect(saved).toBeGreaterThan(0)
  const typed = await stop()
  expect(disk.state.note).toBe('x'.repeat(typed))
})

test('a push that waits for somebody who joins is not applied once its connection has ended', async () => {
  verifies('live.kill-loses-nothing')
  const { disk, session, connections, stop } = await typedInWithoutPause()
  const { text } = await session.whenLogged()
  connections.haveEnded = true
  const typed = await stop()
  expect(typed).toBeGreaterThan(text.length)
  expect(disk.state.note).toBe(text)
})
