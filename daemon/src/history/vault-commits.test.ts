import { expect, test } from 'vitest'
import type { ReadGit } from './history-reader.ts'
import type { NoteHistory } from './note-history.ts'
import { createVaultCommits } from './vault-commits.ts'

test('a range whose log is too long to read has more commits', async () => {
  const record = ['c1', '', '1', 'Ann', 'ann@svc', 'Change', ''].join('\u001f')
  const git: ReadGit = Object.assign(async () => 'refs/heads/main', {
    records: async (_args: readonly string[], visit: (record: string) => unknown) => {
      visit(record)
      return { isCut: true }
    },
  })
  const read = createVaultCommits({ open: async () => git })
  const found = await read({} as NoteHistory, { since: '2026-01-01T00:00:00Z', most: 10 })
  expect(found).toMatchObject({ commits: [{ rev: 'c1' }], untilThen: 1, hasMore: true })
})
