import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { memoryVault } from '../support/history.ts'

// Files with the names of notes whose bytes are not text, deleted for good.

let vault: Awaited<ReturnType<typeof memoryVault>>
beforeEach(async () => {
  vault = await memoryVault()
})
afterEach(() => vault.close())

const isRemoved = async () => true
/** The history is told that a file that was no note was deleted. */
function removeBytes(path: string, deletion: string): void {
  vault.notes.delete(path)
  const moved = { kind: 'attachment', from: path, is: { ino: 1, size: 1, mtimeMs: 1 }, deletion } as const
  vault.history.record({ kind: 'moved', path, bytes: undefined, moved, author: { id: 'usr_Ann', name: 'Ann' } })
}
/** The trash is emptied of a file that was no note. */
const purgeBytes = (path: string, deletion: string) =>
  vault.history.purge({ paths: [path], deletion, fromTrash: 'attachment' }, isRemoved)
/** A note with two revisions. */
async function noteAt(path: string): Promise<void> {
  for (const text of ['one', 'two']) {
    vault.put(path, `${text}\n`)
    await vault.history.commitAll()
  }
}
const notesOf = (path: string) => [`Ann ${path} two`, `Ann ${path} one`]

test.each(['', 'folder/'])(
  'the note that has the path of bytes from the trash now keeps its history (%s)',
  async (at) => {
    verifies('trash.bytes-no-history')
    const path = `${at}log.md`
    removeBytes(path, 'trash')
    await noteAt(path)
    if (at === '') await purgeBytes(path, 'trash')
    else await vault.history.purge({ paths: [path], deletion: 'trash' }, isRemoved)
    await vault.history.commitAll()
    expect(await vault.texts(path)).toEqual(notesOf(path))
    await vault.killed()
    expect(await vault.texts(path)).toEqual(notesOf(path))
  },
)

test('a note that comes to the path of bytes from elsewhere keeps its history, there too', async () => {
  verifies('trash.bytes-no-history')
  await noteAt('first.md')
  removeBytes('log.md', 'trash')
  vault.put('log.md', 'two\n')
  vault.remove('first.md')
  await vault.history.commitAll()
  await purgeBytes('log.md', 'trash')
  await vault.history.commitAll()
  expect(await vault.texts('log.md')).toEqual(['Ann log.md two', ...notesOf('first.md')])
})

test('a note that was at the path of bytes before and after them keeps its history', async () => {
  verifies('trash.bytes-no-history')
  await noteAt('log.md')
  vault.remove('log.md', 'Ann', 'trash of the note')
  removeBytes('log.md', 'trash')
  vault.put('log.md', 'two\n')
  await vault.history.commitAll()
  const before = await vault.texts('log.md')
  await purgeBytes('log.md', 'trash')
  await vault.history.commitAll()
  expect(before).toHaveLength(4)
  expect(await vault.texts('log.md')).toEqual(before)
})

test('bytes that were deleted before the daemon read them withhold no note that was there earlier', async () => {
  verifies('trash.bytes-no-history')
  await noteAt('log.md')
  vault.remove('log.md')
  vault.remove('log.md', 'Ann', 'trash')
  vault.put('log.md', 'two\n')
  await vault.history.commitAll()
  const before = await vault.texts('log.md')
  await purgeBytes('log.md', 'trash')
  await vault.history.commitAll()
  expect(await vault.texts('log.md')).toEqual(before)
})

test('a note keeps its history also if the deletion of the bytes is missing in it, with other deletions at its path', async () => {
  verifies('trash.bytes-no-history', 'security.purged-history')
  await noteAt('log.md')
  vault.remove('log.md', 'Ann', 'trash of another note')
  await noteAt('log.md')
  await vault.history.catchUp()
  await purgeBytes('log.md', 'not recorded')
  await vault.history.purge({ paths: ['log.md'], deletion: 'trash of another note' }, isRemoved)
  await purgeBytes('log.md', 'not recorded either')
  await vault.killed()
  await vault.history.catchUp()
  await vault.history.commitAll()
  expect(await vault.texts('log.md')).toEqual(notesOf('log.md'))
})

test.each(['from the trash', 'at once'])(
  'a note that became bytes, which were deleted for good %s, is withheld, and no note after it',
  async (how) => {
    verifies('security.purged-history')
    await noteAt('early.md')
    vault.put('log.md', 'two\n')
    vault.remove('early.md')
    await vault.history.commitAll()
    if (how === 'at once')
      await vault.history.purge({ paths: ['log.md'], deletion: 'd' }, async () => {
        removeBytes('log.md', 'd')
        return true
      })
    else {
      removeBytes('log.md', 'd')
      await purgeBytes('log.md', 'd')
    }
    await noteAt('log.md')
    expect(await vault.texts('log.md')).toEqual(notesOf('log.md'))
    expect(await vault.revisions('early.md')).toEqual([])
  },
)

test('a folder of notes and bytes withholds the notes and what the bytes were, under all names', async () => {
  verifies('security.purged-history', 'trash.bytes-no-history')
  const names = Array.from({ length: 30 }, (_, nth) => `folder/n${nth}.md`)
  for (const name of names) vault.put(`early/${name}`, `secret of ${name}\n`)
  await vault.history.commitAll()
  for (const name of names) {
    vault.put(name, `secret of ${name}\n`)
    vault.remove(`early/${name}`)
  }
  await noteAt('folder/old.md')
  vault.remove('folder/old.md')
  // Some notes became bytes, and one file never was a note.
  for (const [nth, name] of names.entries())
    if (nth % 2 === 0) vault.remove(name, 'Ann', 'trash of folder')
    else removeBytes(name, 'trash of folder')
  removeBytes('folder/old.md', 'trash of folder')
  vault.put('folder/old.md', 'two\n')
  await vault.history.commitAll()
  const before = await vault.texts('folder/old.md')

  const paths = [...names, 'folder/old.md']
  await vault.history.purge({ paths, deletion: 'trash of folder' }, isRemoved)
  await vault.history.commitAll()
  for (const name of names) for (const path of [name, `early/${name}`]) expect(await vault.revisions(path)).toEqual([])
  expect(await vault.texts('folder/old.md')).toEqual(before)
})
