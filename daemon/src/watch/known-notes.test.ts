import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownNotes } from './known-notes.ts'
import { nothingRemembered, type KnownFile, type RememberedFiles } from './remembered.ts'

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const fileOf = (path: string, blob: string): KnownFile =>
  path.endsWith('.png')
    ? { path, stamp, facts: { kind: 'attachment' } }
    : { path, stamp, facts: { kind: 'note', baseline: '', title: '', blob } }

/** A memory of files, each with the content that it had. */
function memoryOf(contents: ReadonlyMap<string, string>): RememberedFiles {
  const paths = Array.from(contents.keys()).sort()
  return {
    ...nothingRemembered,
    count: paths.length,
    numberOf: (path) => paths.indexOf(path),
    path: (number) => paths[number]!,
    isNote: (number) => !paths[number]!.endsWith('.png'),
    blob: (number) => contents.get(paths[number]!)!,
  }
}

const contents = fc
  .array(fc.tuple(fc.constantFrom<string>('a.md', 'b.md', 'c/a.md', 'd.md', 'e.png'), fc.constantFrom('1', '2', '3')))
  .map((pairs) => new Map(pairs))

test('a comparison with a list tells what is new, what is other and what is not known, wherever it is remembered', async () => {
  await fc.assert(
    fc.asyncProperty(
      contents,
      contents,
      fc.array(fc.constantFrom<string>('a.md', 'b.md', 'c/a.md')),
      contents,
      async (old, now, gone, list) => {
        const remembered = memoryOf(old)
        const isThere = new Uint8Array(old.size).fill(1)
        for (const path of [...gone, ...now.keys()]) if (old.has(path)) isThere[remembered.numberOf(path)] = 0
        const expected = new Map([...[...old].filter(([path]) => !gone.includes(path)), ...now])
        expected.delete('e.png')
        const apart = Array.from(now, ([path, blob]) => fileOf(path, blob))
        const notes = await knownNotes({ files: remembered, isThere, apart }, () => undefined)

        for (const [path, blob] of list) {
          const known = expected.get(path)
          expect(notes.meet({ path, blob })).toBe(known === undefined ? 'unknown' : known === blob ? 'same' : 'other')
        }
        const others = [...expected]
          .filter(([path, blob]) => list.get(path) !== blob)
          .map(([path, blob]) => ({ path, blob, isNew: !list.has(path) }))
        const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
        for (let pass = 0; pass < 2; pass++) expect([...notes.others()].sort(byPath)).toEqual(others.sort(byPath))
      },
    ),
  )
})
