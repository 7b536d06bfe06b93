import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { memoryVault } from '../support/history.ts'

let vault: Awaited<ReturnType<typeof memoryVault>>
beforeEach(async () => {
  vault = await memoryVault()
})
afterEach(() => vault.close())

/** Renames a note as an external editor does: the daemon sees one deleted and one new note. */
async function rename(from: string, to: string, by: string): Promise<void> {
  vault.put(to, vault.notes.get(from)!, by)
  vault.remove(from, by)
  await vault.history.commitAll()
}

/** Deletes a note, in a commit of its own. */
async function remove(...removal: Parameters<typeof vault.remove>): Promise<void> {
  vault.remove(...removal)
  await vault.history.commitAll()
}

/** A note by Ann; its revision. */
async function noteAt(path: string): Promise<string> {
  vault.put(path, `${path} as it was\n`)
  await vault.history.commitAll()
  return (await vault.revisions(path))[0]!.rev
}
const deletersOf = async (path: string, rev: string) =>
  (await vault.reader.deletersSince(vault.history, { path, rev })).map(({ id }) => id).toSorted()

test('whoever deleted a note at a later path has deleted it; whoever moved it has not', async () => {
  verifies('security.restore-own')
  const rev = await noteAt('a.md')
  await rename('a.md', 'b "x".md', 'Ann')
  expect(await deletersOf('a.md', rev)).toEqual([])
  await rename('b "x".md', 'sub/c.md', 'outside')
  await remove('sub/c.md', 'Ada')
  expect(await deletersOf('a.md', rev)).toEqual(['usr_Ada'])
})

test('paths may begin with anything, and look like what git prints', async () => {
  verifies('security.restore-own')
  const rev = await noteAt('D')
  await rename('D', '\nD', 'Ann')
  await rename('\nD', 'A', 'Ann')
  await remove('A', 'Ada')
  expect(await deletersOf('D', rev)).toEqual(['usr_Ada'])
})

test('another note at a path that the note has left, or did not have yet, does not count', async () => {
  verifies('security.restore-own')
  const rev = await noteAt('a.md')
  vault.put('b.md', 'another note\n', 'Ada')
  await vault.history.commitAll()
  await remove('b.md', 'Ada')
  await rename('a.md', 'b.md', 'Ann')
  await rename('b.md', 'c.md', 'Ann')
  vault.put('b.md', 'a third note\n', 'Ada')
  await vault.history.commitAll()
  await remove('b.md', 'Ada')
  expect(await deletersOf('a.md', rev)).toEqual([])
  await remove('c.md', 'Ann')
  expect(await deletersOf('a.md', rev)).toEqual(['usr_Ann'])
})

test('a note that was restored elsewhere is deleted where it is then', async () => {
  verifies('security.restore-own')
  const rev = await noteAt('a.md')
  await remove('a.md', 'Ann', 'first-deletion')
  vault.put('b.md', 'a.md as it was\n', 'Ada', { from: 'a.md', deletion: 'first-deletion' })
  await vault.history.commitAll()
  expect(await deletersOf('a.md', rev)).toEqual(['usr_Ann'])
  await remove('b.md', 'Ada')
  expect(await deletersOf('a.md', rev)).toEqual(['usr_Ada', 'usr_Ann'])
})

test('a note that goes round in circles is followed to its end, in two runs of git', { timeout: 120_000 }, async () => {
  verifies('security.restore-own')
  const rev = await noteAt('a.md')
  for (let nth = 0; nth < 5; nth++)
    for (const [from, to] of [
      ['a.md', 'b.md'],
      ['b.md', 'c.md'],
      ['c.md', 'a.md'],
    ] as const)
      await rename(from, to, 'Ann')
  await rename('a.md', 'end.md', 'Ann')
  await remove('end.md', 'Ada')
  const runsOf = async (read: () => Promise<unknown>) => {
    const before = vault.reads()
    await read()
    return vault.reads() - before
  }
  // A text is read in two runs too, after its revision was found.
  const runs = await runsOf(() => vault.reader.textAt(vault.history, { path: 'a.md', rev }))
  expect(await runsOf(async () => expect(await deletersOf('a.md', rev)).toEqual(['usr_Ada']))).toBe(runs)
})

test(
  'a note with more paths than are followed is restored by nobody who deleted only some of them',
  { timeout: 120_000 },
  async () => {
    verifies('security.restore-own')
    const rev = await noteAt('0.md')
    for (let nth = 0; nth < 120; nth++) {
      vault.put(`${nth + 1}.md`, vault.notes.get(`${nth}.md`)!, 'Ann')
      vault.remove(`${nth}.md`, 'Ann')
    }
    await vault.history.commitAll()
    // The id of nobody.
    expect(await deletersOf('0.md', rev)).toEqual([''])
  },
)

test(
  'notes that are made at its paths later and moved away do not count, however many',
  { timeout: 120_000 },
  async () => {
    verifies('security.restore-own')
    const move = (from: string, to: string) => {
      vault.put(to, vault.notes.get(from)!, 'Ann')
      vault.remove(from, 'Ann')
    }
    const rev = await noteAt('inbox.md')
    for (let day = 0; day < 120; day++) {
      if (day > 0) vault.put('inbox.md', `day ${day}\n`, 'Ann')
      move('inbox.md', 'today.md')
      move('today.md', `filed/${day}.md`)
    }
    vault.remove('filed/57.md', 'Ada', 'of another note')
    vault.put('today.md', 'restored\n', 'Ada', { from: 'filed/57.md', deletion: 'of another note' })
    await vault.history.commitAll()
    expect(await deletersOf('inbox.md', rev)).toEqual([])
    await remove('filed/0.md', 'Ada', 'of the note')
    expect(await deletersOf('inbox.md', rev)).toEqual(['usr_Ada'])
  },
)

test.each(['a.md', 'b\nc.md'])('a note that may have come back from the trash to %j is followed', async (path) => {
  verifies('security.restore-own')
  const rev = await noteAt('a.md')
  if (path !== 'a.md') await rename('a.md', path, 'Ann')
  vault.remove(path, 'Ann', 'first-deletion')
  vault.put(path, 'another note\n', 'Ann')
  await vault.history.commitAll()
  await rename(path, 'other.md', 'Ann')
  vault.put(path, 'a.md as it was\n', 'Ann')
  await vault.history.commitAll()
  await rename(path, 'end.md', 'Ann')
  await remove('end.md', 'Ada')
  expect(await deletersOf('a.md', rev)).toEqual(['usr_Ada', 'usr_Ann'])
})

test('a revision from an earlier path is followed from there, past another note that left its path', async () => {
  verifies('security.restore-own')
  const rev = await noteAt('first.md')
  vault.put('a.md', 'another note\n', 'Ann')
  await vault.history.commitAll()
  await rename('a.md', 'other.md', 'Ann')
  vault.remove('other.md', 'Ada')
  await rename('first.md', 'a.md', 'Ann')
  expect(await deletersOf('a.md', rev)).toEqual([])
  await rename('a.md', 'b.md', 'Ann')
  await remove('b.md', 'Ada')
  expect(await deletersOf('a.md', rev)).toEqual(['usr_Ada'])
})
