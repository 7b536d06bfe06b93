import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { createStoredNames, type NamesOnDisk } from './stored-names.ts'

type Kind = 'file' | 'folder' | 'link'

/** A disk with these entries in order; `spell` says which names it takes for the same. Folders must be entries too. */
function diskOf(entries: Record<string, Kind>, spell: (name: string) => string) {
  const listed: string[] = []
  const find = (path: string) => Object.keys(entries).find((entry) => spell(entry) === spell(path))
  const disk: NamesOnDisk = {
    async look(path) {
      const entry = find(path)
      if (entry === undefined) return undefined
      return { ino: Object.keys(entries).indexOf(entry), isFolder: entries[entry] === 'folder' }
    },
    async names(folder) {
      listed.push(folder)
      const prefix = folder === '' ? '' : `${find(folder)}/`
      return Object.keys(entries)
        .filter((entry) => entry.startsWith(prefix) && !entry.slice(prefix.length).includes('/'))
        .map((entry) => entry.slice(prefix.length))
    },
  }
  return { entries, listed, disk }
}

const exactly = (name: string) => name
const ignoringCase = (name: string) => name.normalize('NFC').toLowerCase()

test.each([
  ['a file under its own name', { 'note.md': 'file' }, ignoringCase, 'note.md', true],
  ['a file that got other capitals', { 'note.md': 'file' }, ignoringCase, 'Note.md', false],
  ['a file that got another normal form', { 'caf\u00E9.md': 'file' }, ignoringCase, 'cafe\u0301.md', false],
  ['a file whose folder got other capitals', { A: 'folder', 'A/n.md': 'file' }, ignoringCase, 'a/n.md', false],
  ['one of two files with like names', { 'note.md': 'file', 'Note.md': 'file' }, exactly, 'Note.md', true],
  ['a file that is gone', { 'note.md': 'file' }, exactly, 'Note.md', false],
  ['a file behind a link', { a: 'link', 'a/n.md': 'file' }, exactly, 'a/n.md', false],
  ['a file in a folder', { a: 'folder', 'a/n.md': 'file' }, exactly, 'a/n.md', true],
] as const)('%s', async (_what, entries, spell, path, isStored) => {
  verifies('watch.stored-names')
  expect(await createStoredNames(diskOf(entries, spell).disk).has(path)).toBe(isStored)
})

test('the names in a folder are read once, and a file that comes later is stored', async () => {
  verifies('watch.stored-names')
  const { disk, entries, listed } = diskOf({ a: 'folder', 'a/1.md': 'file' }, ignoringCase)
  const stored = createStoredNames(disk)
  expect([await stored.has('a/1.md'), await stored.has('a/2.md'), await stored.has('A/1.md')]).toEqual([
    true,
    false,
    false,
  ])
  entries['a/2.md'] = 'file'
  expect(await stored.has('a/2.md')).toBe(true)
  expect(listed).toEqual(['', 'a'])
})

test('a disk that cannot be read says nothing', async () => {
  const { disk } = diskOf({ 'note.md': 'file' }, ignoringCase)
  const names = () => Promise.reject(new Error('EIO'))
  await expect(createStoredNames({ ...disk, names }).has('Note.md')).rejects.toThrow('EIO')
})
