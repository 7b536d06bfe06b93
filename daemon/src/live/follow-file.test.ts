import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { memoryDisk } from '../../../test/support/live-model.ts'
import { PATIENCE_MS } from '../../../test/support/until.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import type { ChangeOrigin, VaultChange } from '../vaults/vault-change.ts'
import { OpenTexts } from './document/open-texts.ts'
import { followFile, type FileFollower } from './follow-file.ts'
import { openLiveSessions, type LiveSessions as Sessions } from './open-live-sessions.ts'

const TEXT = 'text\n'
const by = { kind: 'local' } as const
const outside: ChangeOrigin = { kind: 'outside' }
const logger = createLog({ service: 'test', level: 'fatal' })

function contentOf(path: string, text: string) {
  const bytes = Buffer.from(text)
  const { tags, properties, ...facts } = readNoteFacts(path, bytes, text)
  return { facts, tags, properties, bytes, text }
}

type Written = { text?: string; kind?: 'created' | 'changed'; origin?: ChangeOrigin }
const written = (path: string, { text = TEXT, kind = 'created', origin = outside }: Written = {}): VaultChange => ({
  kind,
  path,
  stamp: { size: text.length, mtimeMs: 1, ctimeMs: 1, ino: 1 },
  content: contentOf(path, text),
  origin,
})
const deleted = (path: string, origin: ChangeOrigin = outside): VaultChange => ({
  kind: 'deleted',
  path,
  before: undefined,
  origin,
})

/**
 * The session of `old.md`, and what follows its file. `pass` lets time pass as if this process stood still; `watch.look`
 * is what the watch does when it is asked to look.
 */
async function follow({ idleMs = 60_000, atMostMs = 60_000 } = {}) {
  const { files, file, state } = memoryDisk(TEXT)
  const follower: { of?: FileFollower } = {}
  const sessions = await openLiveSessions({
    files,
    file,
    logged: Buffer.alloc(0),
    texts: new OpenTexts(),
    maxNoteBytes: 1_000,
    writeBehind: { idleMs, atMostMs },
    lingerMs: 60_000,
    onMissing: (session) => follower.of!.notFound(session),
    clock: systemClock,
    logger,
  })
  onTestFinished(() => sessions.close())
  const now = performance.now.bind(performance)
  let passed = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
  onTestFinished(() => time.mockRestore())
  const watch = { look: async () => {} }
  const look = async () => {
    await watch.look()
    return true
  }
  const follows = (follower.of = followFile({ sessions, files, look, logger }))
  const gone = new Set<string>()
  files.isKnown = (path) => !gone.has(path)
  const changed = (change: VaultChange) => {
    if (change.kind === 'deleted') gone.add(change.path)
    else if ('path' in change) gone.delete(change.path)
    follows.changed(change)
  }
  const pass = (ms: number) => void (passed += ms)
  return { sessions, session: await sessions.open('old.md', by), changed, pass, state, files, watch }
}

test('a session follows a file whose old name is reported gone long after its new one', async () => {
  verifies('live.outside-rename')
  const { sessions, session, changed, pass } = await follow()
  changed(written('new.md'))
  pass(10_000)
  changed(deleted('old.md'))
  expect(session.path).toBe('new.md')
  expect(sessions.find('new.md')).toBe(session)
})

test('a session follows a file that is written in two steps at its new place', async () => {
  verifies('live.outside-rename')
  const { session, changed } = await follow()
  changed(written('new.md', { text: 'te' }))
  changed(written('new.md', { kind: 'changed' }))
  changed(deleted('old.md'))
  expect(session.path).toBe('new.md')
})

test('a session follows a file whose folder was renamed together with a thousand other notes', async () => {
  verifies('live.outside-rename')
  const { session, changed } = await follow()
  changed(written('new/note.md'))
  for (let nth = 0; nth < 1_000; nth++) changed(written(`new/${nth}.md`, { text: `other ${nth}\n` }))
  changed(deleted('old.md'))
  expect(session.path).toBe('new/note.md')
})

test('a session that follows takes the text that its file has by then', async () => {
  verifies('live.outside-rename')
  const { session, changed, state } = await follow()
  changed(written('old.md', { kind: 'changed' }))
  state.note = 'later\n'
  changed(written('new.md', { text: 'next\n' }))
  changed(deleted('old.md'))
  await vi.waitFor(async () => expect((await session.whenLogged()).text).toBe('later\n'), PATIENCE_MS)
})

const moved: ChangeOrigin = { kind: 'api', by, move: { id: 'one', from: 'old.md', to: 'Old.md' } }
test.each<[string, VaultChange[]]>([
  ['the daemon', [deleted('old.md', moved), written('Old.md', { origin: moved })]],
  ['another program', [written('Old.md'), deleted('old.md')]],
])('a session follows its file when %s changes the capitals of the name', async (_who, changes) => {
  verifies('live.outside-rename')
  const { sessions, session, changed } = await follow()
  for (const change of changes) changed(change)
  expect([session.path, sessions.at('Old.md')]).toEqual(['Old.md', session])
})

const long = 60_000
test.each<[string, VaultChange[], number]>([
  ['has another text by now', [written('new.md'), written('new.md', { kind: 'changed', text: 'other\n' })], 0],
  ['is gone again', [written('new.md'), deleted('new.md')], 0],
  ['is no longer new', [written('new.md')], long],
  ['was new long ago and is written again', [written('new.md'), written('new.md', { kind: 'changed' })], long],
  ['was made by a request a while ago', [written('new.md', { origin: { kind: 'api', by } })], 10_000],
])('a session does not follow to a file that %s', async (_what, [first, ...others], ms) => {
  const { session, changed, pass } = await follow()
  changed(first!)
  pass(ms)
  for (const change of others) changed(change)
  changed(deleted('old.md'))
  expect(session.path).toBe('old.md')
})

test.each<[string, VaultChange[]]>([
  ['before', [written('new/other.md'), written('new/old.md'), deleted('old.md')]],
  ['after', [deleted('old.md'), written('new/other.md'), written('new/old.md')]],
])(
  'of several files with its text that appear %s its own is gone, a session follows the one with its name',
  async (_when, changes) => {
    verifies('live.outside-rename')
    const { session, changed } = await follow()
    for (const change of changes) changed(change)
    expect(session.path).toBe('new/old.md')
  },
)

test('of several files with its text and its name, a session follows the one in the folder of its name', async () => {
  verifies('live.outside-rename')
  const { sessions, changed } = await follow()
  const session = await sessions.open('p/b/index.md', by)
  for (const path of ['q/a/index.md', 'q/b/index.md']) changed(written(path))
  changed(deleted('p/b/index.md'))
  expect(session.path).toBe('q/b/index.md')
})

test('a session follows a file that has nothing but its text, and that appears after its own is gone', async () => {
  verifies('live.outside-rename')
  const { session, changed } = await follow()
  changed(deleted('old.md'))
  changed(written('new.md'))
  await vi.waitFor(() => expect(session.path).toBe('new.md'), PATIENCE_MS)
})

test('text that could not be brought into the trash is tried again, and saved if its file is back', async () => {
  verifies('live.kill-loses-nothing')
  const { session, changed, state, files } = await follow({ idleMs: 10 })
  const { write } = files
  const rescue = vi.spyOn(files, 'rescue').mockRejectedValueOnce(fail('storage_full'))
  files.write = () => Promise.reject(fail('not_found'))
  changed(deleted('old.md'))
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  await vi.waitFor(() => expect(rescue).toHaveBeenCalled(), PATIENCE_MS)
  files.write = write
  changed(written('old.md'))
  await vi.waitFor(() => expect(state.note).toBe(`new ${TEXT}`), PATIENCE_MS)
})

test('a rescue that failed is repeated until it succeeds', async () => {
  verifies('live.kill-loses-nothing')
  const { session, changed, files } = await follow({ idleMs: 10, atMostMs: 100 })
  const rescue = vi.spyOn(files, 'rescue').mockRejectedValueOnce(fail('storage_full'))
  files.write = () => Promise.reject(fail('not_found'))
  files.find = async () => undefined
  changed(deleted('old.md'))
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  await vi.waitFor(() => expect(rescue).toHaveBeenCalledTimes(2), PATIENCE_MS)
  expect(rescue.mock.lastCall?.[0].text).toBe(`new ${TEXT}`)
})

test('a session does not take the place of the session of another note with the same text', async () => {
  const { sessions, session, changed } = await follow()
  changed(written('copy.md'))
  const copy = await sessions.open('copy.md', by)
  changed(deleted('old.md'))
  expect([session.path, sessions.find('copy.md')]).toEqual(['old.md', copy])
})

test('a session follows a renamed file although a save did not find it before the rename was seen', async () => {
  verifies('live.outside-rename')
  const { session, changed, files } = await follow({ idleMs: 1 })
  const rescue = vi.spyOn(files, 'rescue')
  const write = vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  const updates: LiveChanges[] = [[[0, 'new '], TEXT.length]]
  await session.push({ version: 0, clientID: 'c', seq: 1, updates, by })
  await vi.waitFor(() => expect(write).toHaveBeenCalled())
  write.mockRestore()
  changed(written('new.md'))
  changed(deleted('old.md'))
  expect(session.path).toBe('new.md')
  await vi.waitFor(() => expect(session.isSaved).toBe(true))
  expect(rescue).not.toHaveBeenCalled()
})

test('a session whose save did not find its file waits for the watch, however long that takes to look', async () => {
  verifies('live.outside-rename')
  const { session, changed, files, watch, state } = await follow({ idleMs: 1 })
  const rescue = vi.spyOn(files, 'rescue')
  const write = vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  const looked = Promise.withResolvers<void>()
  watch.look = () => looked.promise
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  await vi.waitFor(() => expect(write).toHaveBeenCalled())
  await setTimeout(2_000)
  write.mockRestore()
  changed(written('new.md'))
  changed(deleted('old.md'))
  looked.resolve()
  expect(session.path).toBe('new.md')
  await vi.waitFor(() => expect(state.note).toBe(`new ${TEXT}`), PATIENCE_MS)
  expect(rescue).not.toHaveBeenCalled()
})

test('a session whose file the watch cannot tell about keeps its words and looks again, until it was deleted', async () => {
  verifies('live.kill-loses-nothing')
  const { sessions, session, changed, files, watch } = await follow({ idleMs: 1 })
  const rescue = vi.spyOn(files, 'rescue')
  vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  vi.spyOn(files, 'find').mockResolvedValue(undefined)
  const look = vi.spyOn(watch, 'look')
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  await vi.waitFor(() => expect(look).toHaveBeenCalledTimes(2), PATIENCE_MS)
  expect([sessions.at('old.md'), rescue.mock.calls]).toEqual([session, []])
  look.mockImplementationOnce(async () => changed(deleted('old.md')))
  await vi.waitFor(() => expect(rescue).toHaveBeenCalled(), PATIENCE_MS)
  expect(rescue.mock.lastCall?.[0].text).toBe(`new ${TEXT}`)
  expect(sessions.at('old.md')).toBeUndefined()
})

test('a session whose save did not find its file is saved when a look finds it at its path', async () => {
  verifies('live.kill-loses-nothing')
  const { session, files, state } = await follow({ idleMs: 1 })
  vi.spyOn(files, 'write').mockRejectedValueOnce(fail('not_found'))
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  await vi.waitFor(() => expect(state.note).toBe(`new ${TEXT}`), PATIENCE_MS)
})

test.each<[string, (sessions: Sessions) => Promise<ReadonlyMap<string, unknown>>]>([
  ['of all notes', ({ flush }) => flush()],
  ['before a move', ({ flushInQueue }) => flushInQueue()],
])('a save %s fails and does not end a session whose file may have been renamed', async (_which, save) => {
  verifies('live.outside-rename')
  const { sessions, session, changed, files, watch, state } = await follow()
  const rescue = vi.spyOn(files, 'rescue')
  const write = vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  const looked = Promise.withResolvers<void>()
  watch.look = () => looked.promise
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  expect([...(await save(sessions))]).toMatchObject([['old.md', { code: 'storage_failed' }]])
  write.mockRestore()
  changed(written('new.md'))
  changed(deleted('old.md'))
  looked.resolve()
  expect(sessions.at('new.md')).toBe(session)
  expect((await save(sessions)).size).toBe(0)
  expect([state.note, rescue.mock.calls]).toEqual([`new ${TEXT}`, []])
})

test('a vault that closes keeps the words of a note whose file is missing in the trash', async () => {
  verifies('live.kill-loses-nothing')
  const { sessions, session, files, watch } = await follow({ idleMs: 1 })
  const rescue = vi.spyOn(files, 'rescue')
  const write = vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  watch.look = () => new Promise(() => {})
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  await vi.waitFor(() => expect(write).toHaveBeenCalled())
  await sessions.close()
  expect(rescue.mock.lastCall?.[0].text).toBe(`new ${TEXT}`)
})

test('a session that its last participant leaves follows a renamed file, although its save did not find it', async () => {
  verifies('live.outside-rename')
  const { sessions, session, changed, files } = await follow()
  const write = vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  sessions.joined(session)
  await vi.waitFor(() => expect(write).toHaveBeenCalled())
  write.mockRestore()
  changed(written('new.md'))
  changed(deleted('old.md'))
  expect(sessions.at('new.md')).toBe(session)
})

test('a session that has followed its file does not end because a save did not find the old name', async () => {
  verifies('live.outside-rename')
  const { sessions, session, changed, files, state } = await follow({ idleMs: 10 })
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  vi.spyOn(files, 'write').mockImplementationOnce(async () => {
    changed(written('new.md'))
    changed(deleted('old.md'))
    throw fail('not_found')
  })
  await expect(session.saves.save()).rejects.toMatchObject({ code: 'not_found' })
  expect(sessions.at('new.md')).toBe(session)
  await vi.waitFor(() => expect(state.note).toBe(`new ${TEXT}`), PATIENCE_MS)
})

test('a session that has ended does not take the place of a note that appears then', async () => {
  verifies('live.outside-rename')
  const { sessions, session, changed, files } = await follow()
  vi.spyOn(files, 'write').mockRejectedValue(fail('not_found'))
  await session.push({ version: 0, clientID: 'c', seq: 1, updates: [[[0, 'new '], TEXT.length]], by })
  changed(written('old.md', { kind: 'changed' }))
  changed(deleted('old.md'))
  await session.saves.save()
  const next = await sessions.open('old.md', by)
  changed(written('new.md'))
  expect([sessions.at('old.md'), sessions.at('new.md')]).toEqual([next, undefined])
})

test('a session of a note that was deleted for good ends at once, and nothing of its text is kept', async () => {
  verifies('security.purged-history')
  const { sessions, session, changed, files } = await follow()
  const rescue = vi.spyOn(files, 'rescue')
  const updates: LiveChanges[] = [[[0, 'new '], TEXT.length]]
  await session.push({ version: 0, clientID: 'c', seq: 1, updates, by })
  changed(written('copy.md', { origin: { kind: 'api', by } }))
  changed({ ...deleted('old.md', { kind: 'api', by }), isErased: true } as VaultChange)
  expect([session.path, sessions.find('old.md'), sessions.find('copy.md')]).toEqual(['old.md', undefined, undefined])
  await session.saves.save()
  await expect(session.push({ version: 1, clientID: 'c', seq: 2, updates, by })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(rescue).not.toHaveBeenCalled()
})
