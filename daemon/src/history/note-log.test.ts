import { expect, test } from 'vitest'
import type { ReadGit } from './history-reader.ts'
import { noteLog } from './note-log.ts'

const recordOf = (number: number) =>
  [`c${number}`, `c${number + 1}`, '2026-03-01', 'Ann', 'ann@svc', 'Change', 'Change'].join('\u001f')

/** A git with an endless log; `asked` are the numbers of commits that were asked for. */
function endlessLog() {
  const asked: number[] = []
  const git: ReadGit = Object.assign(() => expect.fail('read as a whole'), {
    records: async (args: readonly string[], visit: (record: string) => unknown) => {
      const count = Number(args.find((arg) => arg.startsWith('--max-count='))!.slice('--max-count='.length))
      asked.push(count)
      for (let number = 0; number < count; number++) visit(recordOf(number))
      return { isCut: false }
    },
  })
  return { git, asked }
}

test('a page is the commits after the offset', async () => {
  const { git } = endlessLog()
  const commits = await noteLog({ git, path: 'a.md', offset: 3, most: 2, withheld: () => undefined })
  expect(commits.map(({ rev }) => rev)).toEqual(['c3', 'c4'])
})

test('no offset makes git read more than 10,000 commits', async () => {
  const { git, asked } = endlessLog()
  const page = (offset: number) => noteLog({ git, path: 'a.md', offset, most: 51, withheld: () => undefined })
  expect(await page(9990)).toHaveLength(10)
  expect(await page(Number.MAX_SAFE_INTEGER - 51)).toEqual([])
  expect(asked).toEqual([10_000, 10_000])
})
