import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
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

test('a revision is unknown only if git says so', async () => {
  const gitThat = (failure: Error): ReadGit =>
    Object.assign(
      async (args: readonly string[]) => {
        if (args[0] === 'rev-parse') throw failure
        return 'refs/heads/main'
      },
      { records: async () => ({ isCut: false }) },
    )
  const readBy = (failure: Error) =>
    createVaultCommits({ open: async () => gitThat(failure) })({} as NoteHistory, { since: 'abcdef0', most: 10 })
  await expect(readBy(new Error('git exited with 1'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(readBy(fail('too_many_open_files'))).rejects.toMatchObject({ code: 'too_many_open_files' })
})
