import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHistory } from '../../daemon/src/history/history-reader.ts'
import { createFindMoved } from '../../daemon/src/history/renames/find-moved.ts'
import { verifies } from '../requirements.ts'
import { memoryVault } from '../support/history.ts'

let vault: Awaited<ReturnType<typeof memoryVault>>
beforeEach(async () => {
  vault = await memoryVault()
})
afterEach(() => vault.close())

/** Renames a note as an external editor does: the daemon sees one deleted and one new note. */
function rename(from: string, to: string, by = 'Ann'): void {
  const text = vault.notes.get(from) ?? ''
  vault.put(to, text, by)
  vault.remove(from, by)
}

test('revisions are found under every path that the note had, in pages too', async () => {
  verifies('history.renames')
  vault.put('a.md', '1\n')
  vault.put('a.md', '2\n', 'Ben')
  await vault.history.commitAll()
  rename('a.md', 'b "x".md')
  vault.put('b "x".md', '3\n', 'Ben')
  rename('b "x".md', 'sub/c\n.md', 'Ben')
  vault.put('a.md', 'another note\n', 'Cem')

  const all = ['Ben sub/c\n.md 3', 'Ben b "x".md 3', 'Ann b "x".md 2', 'Ben a.md 2', 'Ann a.md 1']
  expect(await vault.texts('sub/c\n.md')).toEqual(all)
  expect(await vault.texts('a.md')).toEqual(['Cem a.md another note', 'Ann a.md gone', 'Ben a.md 2', 'Ann a.md 1'])

  const paged: string[] = []
  for (let offset = 0; ; offset += 2) {
    const page = await vault.reader.revisions(vault.history, { path: 'sub/c\n.md', limit: 2, offset })
    paged.push(...page.revisions.map(({ author, path }) => `${author.name} ${path}`))
    if (!page.hasMore) break
  }
  expect(paged).toEqual(all.map((line) => line.slice(0, -2)))

  const revisions = await vault.revisions('sub/c\n.md')
  const [to, from] = [revisions[1]!.rev, revisions[4]!.rev]
  expect(await vault.reader.diff(vault.history, { path: 'sub/c\n.md', from, to })).toContain('-1\n+3\n')
  await expect(vault.reader.textAt(vault.history, { path: 'never.md', rev: from })).rejects.toThrow()
})

test('a page is one run of git for each path that it shows, and there is none beyond the last', async () => {
  for (let number = 1; number <= 5; number++) vault.put('a.md', `${number}\n`, `Author ${number}`)
  rename('a.md', 'b.md')
  vault.put('b.md', 'last\n', 'Ben')
  await vault.history.commitAll()
  const runs = async (limit: number, offset: number) => {
    const before = vault.reads()
    const { revisions, hasMore } = await vault.reader.revisions(vault.history, { path: 'b.md', limit, offset })
    return { runs: vault.reads() - before, paths: revisions.map(({ path }) => path), hasMore }
  }
  expect(await runs(1, 0)).toEqual({ runs: 1, paths: ['b.md'], hasMore: true })
  expect(await runs(2, 1)).toEqual({ runs: 2, paths: ['b.md', 'a.md'], hasMore: true })
  expect(await runs(20, 5)).toEqual({ runs: 2, paths: ['a.md', 'a.md'], hasMore: false })
  expect(await runs(20, Number.MAX_SAFE_INTEGER - 21)).toEqual({ runs: 2, paths: [], hasMore: false })
})

test('a rename while the daemon did not run is followed', async () => {
  verifies('history.renames')
  vault.put('a.md', 'text\n')
  await vault.history.commitAll()
  vault.notes.delete('a.md')
  vault.notes.set('b.md', 'text\n')
  await vault.killed()
  await vault.history.catchUp()
  expect(await vault.texts('b.md')).toEqual(['Outside edit b.md text', 'Ann a.md text'])
})

test('a renamed folder with most of the notes is followed, and leaves no text under its old path', async () => {
  verifies('history.renames', 'security.purged-history')
  const numbers = Array.from({ length: 15 }, (_, index) => index + 10)
  const textOf = (number: number) => (number < 14 ? 'of a template\n' : `${number}\n`)
  const folderOf = (number: number) => (number < 22 ? 'old' : 'other')
  for (const number of numbers) vault.put(`${folderOf(number)}/n${number}.md`, textOf(number))
  await vault.history.commitAll()
  for (const path of [...vault.notes.keys()].filter((path) => path.startsWith('old/'))) {
    vault.notes.set(path.replace('old/', 'new/'), vault.notes.get(path)!)
    vault.notes.delete(path)
  }
  await vault.killed()
  await vault.history.catchUp()
  for (const number of numbers.filter((number) => number < 22))
    expect(await vault.texts(`new/n${number}.md`)).toEqual([
      `Outside edit new/n${number}.md ${textOf(number).trim()}`,
      `Ann old/n${number}.md ${textOf(number).trim()}`,
    ])
  expect(vault.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('old/')

  const [, { rev } = { rev: '' }] = await vault.revisions('new/n15.md')
  await vault.history.purge({ paths: ['new/n15.md'], deletion: 'gone' }, async () => {
    vault.remove('new/n15.md', 'Ann', 'gone')
    return true
  })
  await vault.history.commitAll()
  await expect(vault.reader.textAt(vault.history, { path: 'old/n15.md', rev })).rejects.toThrow()
})

test('notes of one content in nested folders keep their histories when the folder above is renamed', async () => {
  verifies('history.renames')
  const names = ['z.md', 'a/b.md', 'a/c/b.md', 'b.md']
  for (const name of names) vault.put(`old/${name}`, 'of a template\n', `Author of ${name}`)
  await vault.history.commitAll()
  // Each folder's notes come before those of its folders, as the list of a vault has them.
  for (const name of ['b.md', 'z.md', 'a/b.md', 'a/c/b.md']) {
    vault.notes.set(`new/${name}`, vault.notes.get(`old/${name}`)!)
    vault.notes.delete(`old/${name}`)
  }
  await vault.killed()
  await vault.history.catchUp()
  for (const name of names)
    expect(await vault.texts(`new/${name}`)).toEqual([
      `Outside edit new/${name} of a template`,
      `Author of ${name} old/${name} of a template`,
    ])
})

test.each([
  { many: 'more notes than may wait', bytes: 0, commitsBetween: 'no' },
  { many: 'more notes than may wait', bytes: 0, commitsBetween: 'some' },
  { many: 'more bytes than may wait', bytes: 400, commitsBetween: 'no' },
  { many: 'more bytes than may wait', bytes: 400, commitsBetween: 'some' },
])(
  'a renamed folder with $many keeps its history and leaves no text under its old path, with $commitsBetween commits meanwhile',
  async ({ bytes, commitsBetween }) => {
    verifies('history.renames', 'history.behind', 'security.purged-history')
    const names = Array.from({ length: 300 }, (_, number) => `${number}.md`)
    for (const name of names) vault.notes.set(`old/${name}`, `text of ${name}\n${'x'.repeat(bytes)}`)
    await vault.history.catchUp()
    vault.history.renamesBegin()
    for (const name of names) vault.put(`new/${name}`, vault.notes.get(`old/${name}`)!, 'outside')
    const commitBetween = async () => {
      vault.pass(60_000)
      if (commitsBetween === 'some') await vault.history.commitAll()
    }
    await commitBetween()
    for (const [number, name] of names.entries()) {
      vault.remove(`old/${name}`, 'outside')
      if (number === 100) await commitBetween()
    }
    vault.history.renamesEnd()
    vault.pass(60_000)
    await vault.history.commitAll()

    const renames = vault.git('log', '--format=%B').match(/(?<=^Svc-Renamed: ).*/gmu)
    expect(renames?.toSorted()).toEqual(names.map((name) => JSON.stringify([`old/${name}`, `new/${name}`])).toSorted())
    expect(vault.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('old/')
    for (const name of ['0.md', '299.md']) {
      const [, before] = await vault.revisions(`new/${name}`)
      expect(before?.path).toBe(`old/${name}`)
      await vault.history.purge({ paths: [`new/${name}`], deletion: `trash of ${name}` }, async () => {
        vault.remove(`new/${name}`, 'Ann', `trash of ${name}`)
        return true
      })
      await vault.history.commitAll()
      expect(await vault.revisions(`old/${name}`)).toEqual([])
      await expect(vault.reader.textAt(vault.history, { path: `old/${name}`, rev: before!.rev })).rejects.toThrow()
    }
  },
)

test('notes whose disk is away stay in the history, though one of them is found elsewhere', async () => {
  verifies('history.renames')
  const names = Array.from({ length: 15 }, (_, index) => `n${index + 10}.md`)
  for (const name of names) vault.put(name, `text of ${name}\n`)
  await vault.history.commitAll()
  vault.notes.clear()
  vault.notes.set('copy.md', 'text of n10.md\n')
  await vault.killed()
  await vault.history.catchUp()
  expect(vault.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toEqual(['copy.md', ...names.slice(1)])
})

test('a note that moved before the first import has a history, says where it is, and can be deleted for good', async () => {
  verifies('history.renames', 'history.moved-to', 'security.purged-history')
  vault.notes.set('a.md', 'text\n')
  rename('a.md', 'b.md')
  await vault.history.commitAll()
  const findMoved = createFindMoved({ open: openHistory({ searchPath: process.env.PATH! }) })
  expect(await vault.texts('b.md')).toEqual(['Ann b.md text'])
  expect(await findMoved(vault.history, 'a.md')).toBe('b.md')
  expect(await findMoved(vault.history, 'never.md')).toBeUndefined()
  rename('b.md', 'c.md', 'Ben')
  expect(await vault.texts('c.md')).toEqual(['Ben c.md text', 'Ann b.md text'])
  expect(await findMoved(vault.history, 'a.md')).toBe('c.md')

  await vault.history.purge({ paths: ['c.md'], deletion: 'd1' }, async () => {
    vault.remove('c.md', 'Ann', 'd1')
    return true
  })
  expect(await vault.revisions('c.md')).toEqual([])
  expect(vault.history.state()).toBe('ready')
  vault.put('c.md', 'something new\n', 'Ben')
  expect(await vault.texts('c.md')).toEqual(['Ben c.md something new'])
  for (const path of ['a.md', 'b.md']) expect(await vault.revisions(path)).toEqual([])
})

test('a note that was deleted for good is not found under an earlier name either', async () => {
  verifies('security.purged-history')
  vault.put('secret.md', 'old secret\n')
  await vault.history.commitAll()
  rename('secret.md', 'renamed.md')
  await vault.history.commitAll()
  const [, before] = await vault.revisions('renamed.md')
  await vault.history.purge({ paths: ['renamed.md'], deletion: 'd1' }, async () => {
    vault.remove('renamed.md', 'Ann', 'd1')
    return true
  })
  expect(await vault.revisions('secret.md')).toEqual([])
  expect(await vault.revisions('renamed.md')).toEqual([])
  for (const path of ['secret.md', 'renamed.md'])
    await expect(vault.reader.textAt(vault.history, { path, rev: before!.rev })).rejects.toThrow()

  await vault.killed()
  vault.put('secret.md', 'something new\n', 'Ben')
  expect(await vault.texts('secret.md')).toEqual(['Ben secret.md something new'])
})

test('a note that takes the path of one deleted for good keeps its own revisions and shows none of the other', async () => {
  verifies('security.purged-history')
  vault.put('place.md', 'secret\n')
  vault.put('own.md', 'own\n', 'Ben')
  await vault.history.purge({ paths: ['place.md'], deletion: 'd1' }, async () => {
    vault.remove('place.md', 'Ann', 'd1')
    return true
  })
  await vault.history.commitAll()
  rename('own.md', 'place.md', 'Ben')
  expect(await vault.texts('place.md')).toEqual(['Ben place.md own', 'Ben own.md own'])
})

test('a path cannot forge a rename', async () => {
  verifies('history.renames')
  vault.put('secret.md', 'secret\n')
  vault.put('x\n\nSvc-Renamed: ["secret.md","mine.md"]\n.md', 'x\n')
  vault.put('mine.md', 'mine\n', 'Ben')
  expect(await vault.texts('mine.md')).toEqual(['Ben mine.md mine'])
})

test('a folder that has taken the place of a note is in the history with its notes', async () => {
  vault.notes.set('plan.md', 'one\n')
  await vault.history.catchUp()
  vault.notes.delete('plan.md')
  vault.notes.set('plan.md/part.md', 'two\n')
  await vault.history.catchUp()
  expect(vault.git('ls-tree', '-r', '--name-only', 'main').trim()).toBe('plan.md/part.md')
})
