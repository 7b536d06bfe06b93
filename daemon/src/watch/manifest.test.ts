import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FileStamp } from '../files/file-stamp.ts'
import { join } from './folder-names.ts'
import { Manifest } from './manifest.ts'
import { isMassDisappearance } from './missing/mass-disappearance.ts'
import { nothingRemembered, type KnownFile, type RememberedFiles } from './remembered.ts'

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const put = (manifest: Manifest, path: string) => manifest.putFile({ path, stamp, facts: undefined })
const noPause = () => undefined

test('files bring their folders and leave them behind', () => {
  const manifest = new Manifest()
  put(manifest, 'a/b/c.md')
  expect(['', 'a', 'a/b'].map((folder) => [...manifest.children(folder)])).toEqual([['a'], ['b'], ['c.md']])
  manifest.removeFile('a/b/c.md')
  expect(manifest.foldersBelow('')).toEqual(['', 'a', 'a/b'])
  manifest.removeFolder('a/b')
  expect([[...manifest.children('a')], manifest.isEmpty('a')]).toEqual([[], true])
})

test('a name in another normal form is found by the usual one', () => {
  const manifest = new Manifest()
  put(manifest, 'Cafe\u0301.md')
  expect(manifest.onDisk('Café.md')).toBe('Cafe\u0301.md')
  put(manifest, 'Café.md')
  expect(manifest.onDisk('Café.md')).toBe('Café.md')
  manifest.removeFile('Café.md')
  expect(manifest.onDisk('Café.md')).toBe('Cafe\u0301.md')
})

test('a name in the usual form is found by another one, unless there is such a file', () => {
  const manifest = new Manifest()
  expect(manifest.onDisk('Cafe\u0301.md')).toBe('Cafe\u0301.md')
  put(manifest, 'Café.md')
  expect(manifest.onDisk('Cafe\u0301.md')).toBe('Café.md')
  put(manifest, 'Cafe\u0301.md')
  expect(manifest.onDisk('Cafe\u0301.md')).toBe('Cafe\u0301.md')
})

const stampOf = (size: number): FileStamp => ({ ...stamp, size })
const factsFor = (path: string, size: number) =>
  ({
    kind: 'note',
    baseline: `${size}`,
    blob: path,
    title: path,
    ...(size > 2 && { problem: 'invalid' as const }),
  }) as const

/** A memory of files, each known by the size that it had. */
function memoryOf(sizes: ReadonlyMap<string, number>): RememberedFiles {
  const paths = Array.from(sizes.keys()).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const factsOf = (number: number) => factsFor(paths[number]!, sizes.get(paths[number]!)!)
  return {
    count: paths.length,
    numberOf: (path) => paths.indexOf(path),
    firstAtOrAfter(path) {
      const first = paths.findIndex((each) => Buffer.compare(Buffer.from(each), Buffer.from(path)) >= 0)
      return first === -1 ? paths.length : first
    },
    path: (number) => paths[number]!,
    stamp: (number) => stampOf(sizes.get(paths[number]!)!),
    size: (number) => sizes.get(paths[number]!)!,
    hasStamp: (number, { size }) => size === sizes.get(paths[number]!),
    isNote: () => true,
    title: (number) => factsOf(number).title,
    baseline: (number) => factsOf(number).baseline,
    blob: (number) => factsOf(number).blob,
    problem: (number) => factsOf(number).problem,
  }
}

const paths = [
  'a.md',
  'a/b.md',
  'a/b/c.md',
  'a/b-c.md',
  'a/b0.md',
  'a0/x.md',
  'é/y.md',
  'z/\u{1F600}.md',
  'z/\uFB00.md',
]
const size = fc.integer({ min: 1, max: 3 })
const files = fc.dictionary(fc.constantFrom(...paths), size).map((sizes) => new Map(Object.entries(sizes)))
const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), path: fc.constantFrom(...paths), size }),
  fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom(...paths) }),
  fc.record({
    kind: fc.constant('go over' as const),
    files,
    meanwhile: fc.array(fc.constantFrom(...paths)),
    afterwards: fc.array(fc.record({ path: fc.constantFrom(...paths), size })),
    last: fc.array(fc.constantFrom(...paths)),
  }),
)

test('a file that cannot be read stays as it is remembered, and a doubted one is looked at again', async () => {
  const manifest = new Manifest()
  ;(await manifest.compare(memoryOf(new Map([['a/note.md', 1]])))).adopt()
  await manifest.listed('a', new Map([['note.md', stampOf(2)]]), noPause)
  expect([manifest.unread(), manifest.keepFile('a/note.md'), manifest.unread()]).toEqual([['a/note.md'], true, []])
  expect([manifest.file('a/note.md'), manifest.count()]).toEqual([
    { path: 'a/note.md', stamp: stampOf(1), facts: factsFor('a/note.md', 1) },
    1,
  ])
  expect([...manifest.children('a')]).toEqual(['note.md'])
  expect(manifest.isAsKnown('a/note.md', stampOf(2))).toBe(false)
  expect(manifest.keepFile('a/other.md')).toBe(false)

  manifest.doubt('a/note.md')
  expect(manifest.isAsKnown('a/note.md', stampOf(1))).toBe(false)
  expect([manifest.file('a/note.md')?.facts, manifest.count()]).toEqual([factsFor('a/note.md', 1), 1])
  manifest.doubt('a/other.md')
  expect(manifest.count()).toBe(1)
})

test('whatever is remembered, a manifest says what a plain list of files would', async () => {
  await fc.assert(
    fc.asyncProperty(files, files, fc.array(step, { maxLength: 12 }), async (remembered, onDisk, steps) => {
      const manifest = new Manifest()
      const plain = new Map<string, KnownFile>()
      const remove = (path: string) => {
        manifest.removeFile(path)
        plain.delete(path)
      }
      const put = (one: { path: string; size: number }) => {
        const file = { path: one.path, stamp: stampOf(one.size), facts: factsFor(one.path, one.size) }
        manifest.putFile(file)
        plain.set(one.path, file)
      }
      ;(await manifest.compare(memoryOf(remembered))).adopt()
      for (const [path, bytes] of onDisk) {
        const [folder, name] = [
          path.slice(0, Math.max(0, path.lastIndexOf('/'))),
          path.slice(path.lastIndexOf('/') + 1),
        ]
        await manifest.listed(folder, new Map([[name, stampOf(bytes)]]), noPause)
        const facts = remembered.get(path) === bytes ? factsFor(path, bytes) : undefined
        plain.set(path, { path, stamp: stampOf(bytes), facts })
      }
      const gone = [...remembered.keys()].filter((path) => !onDisk.has(path))
      expect([...manifest.forgotten()].sort()).toEqual(gone.sort())

      for (const next of steps) {
        if (next.kind === 'remove') remove(next.path)
        if (next.kind === 'put') put(next)
        if (next.kind === 'go over') {
          const comparing = manifest.compare(memoryOf(next.files))
          for (const path of next.meanwhile) remove(path)
          const { catchUp, adopt } = await comparing
          for (const file of next.afterwards) put(file)
          await catchUp(noPause)
          for (const path of next.last) remove(path)
          adopt()
          for (const [path, file] of plain)
            if (next.files.get(path) === file.stamp.size)
              plain.set(path, { ...file, facts: factsFor(path, file.stamp.size) })
        }
      }

      const byPath = (a: KnownFile, b: KnownFile) => (a.path < b.path ? -1 : 1)
      expect([...manifest.files()].sort(byPath)).toEqual([...plain.values()].sort(byPath))
      const filesIn = (folder: string) => [...manifest.children(folder)].map((name) => join(folder, name))
      const named = manifest
        .foldersBelow('')
        .flatMap(filesIn)
        .filter((path) => manifest.hasFile(path))
      expect(named.sort()).toEqual([...plain.keys()].sort())
      expect(manifest.count()).toBe(plain.size)
      for (const path of paths) {
        expect(manifest.file(path)).toEqual(plain.get(path))
        expect(manifest.isAsKnown(path, stampOf(1))).toBe(plain.get(path)?.stamp.size === 1)
      }
      for (const folder of manifest.foldersBelow(''))
        expect(manifest.isEmpty(folder)).toBe([...manifest.children(folder)].length === 0)
    }),
    { numRuns: 300 },
  )
})

test('nothing is remembered at first', () => {
  expect(nothingRemembered.count).toBe(0)
  expect(() => nothingRemembered.path(0)).toThrow(RangeError)
})

test.each([
  [{ gone: 9, known: 9 }, false],
  [{ gone: 30, known: 100 }, false],
  [{ gone: 31, known: 100 }, true],
  [{ gone: 10, known: 10 }, true],
])('%j gone at once: %s', (counts, expected) => expect(isMassDisappearance(counts)).toBe(expected))
