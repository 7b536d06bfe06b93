import { expect, test } from 'vitest'
import { similarPaths } from './similar-paths.ts'

const similar = (asked: string, most: number) => similarPaths(paths, { asked, most, pause: () => undefined })
const paths = ['README.md', 'notes/Plan B.md', 'notes/Größe.md', 'old/plan b.md', 'old/deep/notes/plan b.md', 'pic.png']

test.each<[string, string, string[]]>([
  ['another case', 'Notes/plan b.md', ['notes/Plan B.md', 'old/plan b.md', 'old/deep/notes/plan b.md']],
  ['no ending', 'README', ['README.md']],
  ['a wiki link', '[[readme#Top]]', ['README.md']],
  ['a path of the disk', '/home/ada/vaults/v/notes/Plan B.md', ['notes/Plan B.md', 'old/plan b.md']],
  ['an address', 'vault://v/notes/Plan%20B.md', ['notes/Plan B.md', 'old/plan b.md']],
  ['backslashes', 'notes\\Plan B.md', ['notes/Plan B.md', 'old/plan b.md']],
  ['another normal form', 'notes/Größe.md'.normalize('NFD'), ['notes/Größe.md']],
  ['the wrong folder', 'plan b.md', ['notes/Plan B.md', 'old/plan b.md', 'old/deep/notes/plan b.md']],
  ['an attachment', 'images/pic.png', ['pic.png']],
  ['nothing like it', 'nope.md', []],
  ['no name at all', '/', []],
])('%s', async (_name, asked, expected) =>
  expect((await similar(asked, 3)).slice(0, expected.length || 3)).toEqual(expected),
)

test('no more than were asked for', async () => expect(await similar('plan b', 1)).toHaveLength(1))

test('never the path that was passed', async () =>
  expect(await similar('notes/Plan B.md', 3)).toEqual(['old/plan b.md', 'old/deep/notes/plan b.md']))

test('the event loop is free between slices of the paths', async () => {
  let pauses = 0
  const pause = () => void (pauses += 1)
  const many = Array.from({ length: 10_000 }, (_, number) => `folder/${number}.md`)
  expect(await similarPaths(many, { asked: '9999', most: 3, pause: pause as () => undefined })).toEqual([
    'folder/9999.md',
  ])
  expect(pauses).toBeGreaterThan(30)
})
