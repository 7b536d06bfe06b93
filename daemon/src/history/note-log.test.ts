import { expect, test } from 'vitest'
import type { ReadGit } from './history-reader.ts'
import { noteLog } from './note-log.ts'

const FIELD = '\u001f'
/** The beginning of the record after a commit that changed this file. */
const changeOf = (path: string) => `\0:100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} M\0${path}\0`
const recordOf = (number: number) =>
  ['', `c${number}`, `c${number + 1}`, '2026-03-01', 'Ann', 'ann@svc', 'Change', 'Change'].join(FIELD)

/** A git with an endless log of changes of these files in turn; `asked` are the numbers of commits that were asked for. */
function endlessLog(...paths: readonly string[]) {
  const asked: number[] = []
  const git: ReadGit = Object.assign(() => expect.fail('read as a whole'), {
    records: async (args: readonly string[], visit: (record: string) => unknown) => {
      const count = Number(args.find((arg) => arg.startsWith('--max-count='))!.slice('--max-count='.length))
      asked.push(count)
      let before = ''
      for (let number = 0; number < count; number++) {
        if (visit(before + recordOf(number)) === 'stop') return { isCut: false }
        before = changeOf(paths[number % paths.length]!)
      }
      visit(before)
      return { isCut: false }
    },
  })
  return { git, asked }
}

test('a page is the commits after the offset', async () => {
  const { git } = endlessLog('a.md')
  const commits = await noteLog({ git, path: 'a.md', offset: 3, most: 2, withheld: () => undefined })
  expect(commits.map(({ rev }) => rev)).toEqual(['c3', 'c4'])
})

test('no offset makes git read more than 10,000 commits', async () => {
  const { git, asked } = endlessLog('a.md')
  const page = (offset: number) => noteLog({ git, path: 'a.md', offset, most: 51, withheld: () => undefined })
  expect(await page(9990)).toHaveLength(10)
  expect(await page(Number.MAX_SAFE_INTEGER - 51)).toEqual([])
  expect(asked).toEqual([10_000, 10_000])
})

test('commits of files in a folder of that name do not count', async () => {
  const { git, asked } = endlessLog('a.md/b.md', 'a.md')
  const commits = await noteLog({ git, path: 'a.md', offset: 1, most: 2, withheld: () => undefined })
  expect(commits.map(({ rev }) => rev)).toEqual(['c3', 'c5'])
  const none = endlessLog('a.md/b.md')
  expect(await noteLog({ git: none.git, path: 'a.md', offset: 0, most: 2, withheld: () => undefined })).toEqual([])
  expect([...asked, ...none.asked]).toEqual([10_000, 10_000])
})
