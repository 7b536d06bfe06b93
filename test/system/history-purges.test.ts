import { appendFile, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { followHistory } from '../../daemon/src/history/follow-history.ts'
import { openHistory } from '../../daemon/src/history/history-reader.ts'
import { createListDeletedNotes } from '../../daemon/src/history/list-deleted-notes.ts'
import { readHistory } from '../../daemon/src/history/read-history.ts'
import { Manifest } from '../../daemon/src/watch/manifest.ts'
import { verifies } from '../requirements.ts'
import { blobOf, memoryVault } from '../support/history.ts'

let vault: Awaited<ReturnType<typeof memoryVault>>
beforeEach(async () => {
  vault = await memoryVault()
})
afterEach(() => vault.close())

const searchPath = process.env.PATH!
const open = openHistory({ searchPath })
const listDeletedNotes = createListDeletedNotes({ open })
/** The notes that members are told of as deleted, and may restore from the history. */
const deletedPaths = async () => {
  const range = { isElsewhere: async () => false, limit: 50, offset: 0, signal: new AbortController().signal }
  return (await listDeletedNotes(vault.history, range)).notes.map(({ path }) => path)
}
const isRemoved = async () => true
/** The note is deleted for good, but the daemon is killed before the history hears of it. */
const purgeUnrecorded = (path: string) =>
  vault.history.purge({ paths: [path], deletion: `of ${path}` }, async () => vault.notes.delete(path))

test.each(['committed', 'killed before they are committed'])(
  'two deletions for good at one path, %s, withhold both texts, with the earlier names of both notes',
  async (when) => {
    verifies('security.purged-history')
    for (const life of ['first', 'second']) {
      vault.put(`${life}.md`, `${life} secret\n`)
      await vault.history.commitAll()
      vault.put('place.md', `${life} secret\n`)
      vault.remove(`${life}.md`)
      vault.remove('place.md', 'Ann', `trash of ${life}`)
    }
    await vault.history.commitAll()
    // The trash is emptied, the newest entry first.
    for (const life of ['second', 'first'])
      await vault.history.purge({ paths: ['place.md'], deletion: `trash of ${life}` }, isRemoved)
    if (when !== 'committed') await vault.killed()
    vault.put('place.md', 'harmless\n', 'Ben')

    expect(await vault.texts('place.md')).toEqual(['Ben place.md harmless'])
    for (const path of ['first.md', 'second.md']) expect(await vault.revisions(path)).toEqual([])
    expect(await deletedPaths()).toEqual([])
    await vault.killed()
    expect(await vault.texts('place.md')).toEqual(['Ben place.md harmless'])
  },
)

test.each(['folder', 'folder.md'])(
  'nothing in %s is read by the path of the folder, deleted for good or not',
  async (folder) => {
    verifies('security.purged-history')
    const secret = `${folder}/secret.md`
    vault.put(folder, 'a note\n')
    vault.put(folder, 'a note with two lines\n', 'Ben')
    vault.remove(folder)
    await vault.history.commitAll()
    vault.put(`${folder}/other.md`, 'other\n')
    vault.put(secret, 'the secret\n')
    await vault.history.commitAll()
    vault.remove(secret, 'Ann', 'of it')
    await vault.history.purge({ paths: [secret], deletion: 'of it' }, isRemoved)
    await vault.history.commitAll()
    vault.remove(`${folder}/other.md`)
    await vault.history.commitAll()
    vault.put(folder, 'a note again\n', 'Cem')

    expect(await vault.texts(folder)).toEqual([
      `Cem ${folder} a note again`,
      `Ann ${folder} gone`,
      `Ben ${folder} a note with two lines`,
      `Ann ${folder} a note`,
    ])
    const { reader, history } = vault
    const revs = vault.git('log', '--format=%H', 'main').trim().split('\n')
    const shown: string[] = []
    for (const from of revs) {
      shown.push(await reader.textAt(history, { path: folder, rev: from }).catch(({ code }) => code))
      for (const to of revs)
        shown.push(await reader.diff(history, { path: folder, from, to }).catch(({ code }) => code))
    }
    expect(shown).toContain('a note with two lines\n')
    expect(shown.filter((text) => /secret|other/.test(text))).toEqual([])
    expect(shown).not.toContain('internal')
  },
)

test('deleted notes are listed by three runs of git, however many were deleted for good', async () => {
  verifies('security.purged-history')
  const paths = Array.from({ length: 10 }, (_, at) => `${at}.md`)
  for (const path of paths) vault.put(path, `text of ${path}\n`)
  await vault.history.commitAll()
  for (const path of paths) vault.remove(path, 'Ann', `of ${path}`)
  for (const path of paths) await vault.history.purge({ paths: [path], deletion: `of ${path}` }, isRemoved)
  await vault.history.commitAll()
  // A new life of one of them, which ended without a purge.
  vault.put('3.md', 'later\n')
  await vault.history.commitAll()
  vault.remove('3.md', 'Ben')
  await vault.history.commitAll()

  let runs = 0
  const list = createListDeletedNotes({
    async open(history) {
      const git = (await open(history))!
      return Object.assign((args: readonly string[]) => (runs++, git(args)), {
        records: (...args: Parameters<typeof git.records>) => (runs++, git.records(...args)),
      })
    },
  })
  const range = { isElsewhere: async () => false, limit: 50, offset: 0, signal: new AbortController().signal }
  const { notes } = await list(vault.history, range)
  expect(notes.map(({ path, deletedBy }) => [path, deletedBy.name])).toEqual([['3.md', 'Ben']])
  expect(runs).toBe(3)
  const left = AbortSignal.abort(new Error('the reader has left'))
  await expect(list(vault.history, { ...range, signal: left })).rejects.toThrow('the reader has left')
})

test('a removal that fails takes back its own deletion for good, and no other one of that path', async () => {
  verifies('security.purged-history')
  vault.put('place.md', 'secret\n')
  await vault.history.commitAll()
  await vault.history.purge({ paths: ['place.md'], deletion: 'd1' }, async () => {
    vault.remove('place.md', 'Ann', 'd1')
    return true
  })
  vault.put('place.md', 'harmless\n', 'Ben')
  const failing = vault.history.purge({ paths: ['place.md'], deletion: 'd2' }, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await vault.texts('place.md')).toEqual(['Ben place.md harmless'])
})

test('a deletion for good that a kill kept from the history withholds all, its own revision included', async () => {
  verifies('security.purged-history')
  for (const path of ['secret.md', 'other.md']) vault.put(path, `text of ${path}\n`)
  await vault.history.catchUp()
  await purgeUnrecorded('secret.md')
  await vault.killed()
  // Until the notes have been compared with the history, it is not known where the note ends in it.
  await vault.history.commitAll()
  await vault.history.catchUp()
  await vault.history.commitAll()
  expect(vault.git('ls-tree', '-r', '--name-only', 'main').trim()).toBe('other.md')
  expect(await vault.revisions('secret.md')).toEqual([])
  expect(await deletedPaths()).toEqual([])
  vault.put('secret.md', 'harmless\n', 'Ben')
  expect(await vault.texts('secret.md')).toEqual(['Ben secret.md harmless'])
})

test('deletions for good that a kill kept from the history are committed, however many other notes are gone', async () => {
  verifies('security.purged-history', 'history.mass-deletion')
  const names = Array.from({ length: 150 }, (_, number) => `n${number}.md`)
  for (const name of names) vault.put(name, `text of ${name}\n`)
  await vault.history.catchUp()
  await purgeUnrecorded('n7.md')
  for (const name of names) vault.notes.delete(name)
  await vault.killed()
  await vault.history.catchUp()
  await vault.history.commitAll()
  expect(vault.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toHaveLength(149)
  vault.put('n7.md', 'harmless\n', 'Ben')
  expect(await vault.texts('n7.md')).toEqual(['Ben n7.md harmless'])
})

test('a note that is deleted for good before the daemon has read it is deleted in the history too', async () => {
  verifies('security.purged-history')
  const folder = dirname(vault.gitDir)
  const log = createLog({ service: 'test', level: 'info', destination: { write: () => {} } })
  const histories = followHistory({
    makeRoom: async () => {},
    folder,
    searchPath,
    maxNoteBytes: 1000,
    clock: systemClock,
    log,
  })
  const follower = histories.follow({ id: 'real', root: join(folder, 'vault'), manifest: new Manifest() })
  const history = histories.of({ id: 'real' })
  const origin = { kind: 'api', by: { kind: 'local' } } as const
  const create = (text: string) => {
    const facts = { kind: 'note', baseline: text, title: '', blob: blobOf(text) } as const
    const content = { facts, tags: [], properties: {}, bytes: Buffer.from(text), text }
    follower.changed({
      kind: 'created',
      path: 'secret.md',
      stamp: { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 },
      content,
      origin,
    })
  }
  create('secret\n')
  await history.commitAll()
  await history.purge({ paths: ['secret.md'], deletion: 'd1' }, async () => {
    follower.changed({ kind: 'deleted', path: 'secret.md', before: undefined, deletion: 'd1', origin })
    return true
  })
  create('harmless\n')
  const reader = readHistory({ open })
  const { revisions } = await reader.revisions(history, { path: 'secret.md', limit: 9, offset: 0 })
  const texts = revisions.map(({ rev }) => reader.textAt(history, { path: 'secret.md', rev }))
  expect(await Promise.all(texts)).toEqual(['harmless\n'])
  await follower.close?.()
})

test('a history without the commit of a deletion for good withholds all that it has of that path, and works', async () => {
  verifies('security.purged-history')
  for (const path of ['secret.md', 'other.md']) vault.put(path, `text of ${path}\n`)
  await vault.history.commitAll()
  // As after the history was restored from a backup that is older than the list.
  const line = JSON.stringify({ path: 'secret.md', upTo: '0123456789'.repeat(4) })
  await appendFile(`${vault.gitDir}.purged.jsonl`, `${line}\n`)
  await vault.killed()
  const [other] = await vault.revisions('other.md')
  expect(await vault.revisions('secret.md')).toEqual([])
  await expect(vault.reader.textAt(vault.history, { path: 'secret.md', rev: other!.rev })).rejects.toThrow()
  vault.put('secret.md', 'harmless\n', 'Ben')
  expect(await vault.texts('secret.md')).toEqual(['Ben secret.md harmless'])
  await vault.killed()
  expect(await vault.texts('secret.md')).toEqual(['Ben secret.md harmless'])
  expect(await vault.texts('other.md')).toEqual(['Ann other.md text of other.md'])
})

test('many notes are deleted for good in a few runs of git, with their earlier names', async () => {
  verifies('security.purged-history')
  const names = Array.from({ length: 60 }, (_, number) => `folder/n${number}.md`)
  const move = (from: string, to: string) => {
    vault.put(to, vault.notes.get(from)!)
    vault.remove(from)
  }
  for (const name of names) vault.put(`early/${name}`, `secret of ${name}\n`)
  vault.put('own.md', 'own\n')
  for (const name of names) move(`early/${name}`, name)
  await vault.history.commitAll()
  for (const name of names) vault.remove(name, 'Ann', 'trash of folder')
  await vault.history.commitAll()
  move('own.md', 'folder/n0.md')
  // One of the paths withholds something already.
  await vault.history.purge({ paths: ['folder/n1.md'], deletion: 'trash of folder' }, isRemoved)
  await vault.history.commitAll()

  const runs = join(dirname(vault.gitDir), 'runs')
  await vault.ail(`echo "$1" >> '${runs}'`)
  await vault.history.purge({ paths: names, deletion: 'trash of folder' }, isRemoved)
  await vault.history.commitAll()
  expect((await readFile(runs, 'utf8')).trim().split('\n').length).toBeLessThan(10)
  await vault.heal()
  for (const name of names.slice(1))
    for (const path of [name, `early/${name}`]) expect(await vault.revisions(path)).toEqual([])
  expect(await vault.texts('folder/n0.md')).toEqual(['Ann folder/n0.md own', 'Ann own.md own'])
  expect(await vault.revisions('early/folder/n0.md')).toEqual([])
})

test.each([
  ['one note', 'recorded', 1],
  ['one note', 'not recorded', 1],
  ['many notes', 'recorded', 300],
  ['many notes', 'not recorded', 300],
] as const)(
  '%s that were restored elsewhere after a deletion that was %s are deleted for good under their old paths too',
  async (_many, recorded, count) => {
    verifies('security.purged-history')
    const names = Array.from({ length: count }, (_, number) => `n${number}.md`)
    for (const name of names) vault.put(`first/${name}`, `secret of ${name}\n`)
    await vault.history.commitAll()
    for (const name of names) {
      vault.put(`old/${name}`, `secret of ${name}\n`)
      vault.remove(`first/${name}`)
    }
    await vault.history.commitAll()
    for (const name of names) vault.remove(`old/${name}`, 'Ann', recorded === 'recorded' ? 'trash of old' : undefined)
    await vault.history.commitAll()
    for (const name of names)
      vault.put(`new/${name}`, `secret of ${name}\n`, 'Ann', { from: `old/${name}`, deletion: 'trash of old' })
    await vault.history.commitAll()
    // Other notes come to the paths, whose texts nobody deletes.
    vault.put('old/n0.md', 'harmless\n')
    for (const name of names) vault.remove(`new/${name}`, 'Ann', 'trash of new')
    await vault.history.commitAll()

    const paths = names.map((name) => `new/${name}`)
    await vault.history.purge({ paths, deletion: 'trash of new' }, isRemoved)
    await vault.history.commitAll()
    expect(await vault.texts('old/n0.md')).toEqual(['Ann old/n0.md harmless'])
    for (const name of names.slice(-3))
      for (const path of [`new/${name}`, `first/${name}`, ...(count > 1 ? [`old/${name}`] : [])])
        expect(await vault.revisions(path), path).toEqual([])
  },
)

test('a note whose path is in the name of a person is deleted for good under its earlier name too', async () => {
  verifies('security.purged-history')
  vault.put('secret.md', 'secret\n')
  await vault.history.commitAll()
  vault.put('Plan.md', 'secret\n')
  vault.remove('secret.md')
  await vault.history.commitAll()
  const person = { id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa', name: 'Plan.md' }
  const author = { id: 'mcp_agent', name: 'Agent', person }
  vault.history.record({
    kind: 'changed',
    path: 'Plan.md',
    bytes: Buffer.from('more\n'),
    blob: blobOf('more\n'),
    author,
  })
  await vault.history.commitAll()
  vault.remove('Plan.md', 'Ann', 'trash of plan')
  await vault.history.purge({ paths: ['Plan.md'], deletion: 'trash of plan' }, isRemoved)
  await vault.history.commitAll()
  for (const path of ['Plan.md', 'secret.md']) expect(await vault.revisions(path)).toEqual([])
})

test('a folder whose name means .git on another file system is in the history', async () => {
  verifies('history.hardened')
  // Git 2.48 and later check the paths of an import unless these settings say otherwise.
  await vault.ail(`
if [ "$1" = fast-import ]; then
  for setting in core.protectNTFS core.protectHFS; do
    if [ "$("$0" config "$setting")" != false ]; then echo "fatal: invalid path 'git~1/a.md'" >&2; exit 128; fi
  done
fi`)
  for (const path of ['git~1/a.md', 'GIT~2/a.md', 'g\u200cit/a.md', 'b.md']) vault.notes.set(path, 'text\n')
  await vault.history.catchUp()
  vault.put('git~1/a.md', 'more\n')
  expect(await vault.texts('git~1/a.md')).toEqual(['Ann git~1/a.md more', 'Outside edit git~1/a.md text'])
  expect(await vault.texts('b.md')).toEqual(['Outside edit b.md text'])
  vault.history.doubt(new Error('a revision cannot be read'))
  await vault.history.commitAll()
  expect(await vault.revisions('git~1/a.md')).toHaveLength(2)
})
