import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ReadGit } from './history-reader.ts'
import type { NoteHistory } from './note-history.ts'
import { readHistory } from './read-history.ts'

const history = { withheld: () => false } as unknown as NoteHistory

test('a revision is unknown only if git says so', async () => {
  const gitThat = (failure: Error): ReadGit =>
    Object.assign(
      async (args: readonly string[]) => {
        if (args[0] === 'rev-list') throw failure
        return ''
      },
      { records: async () => ({ isCut: false }) },
    )
  const readBy = (failure: Error) =>
    readHistory({ open: async () => gitThat(failure) }).textAt(history, { path: 'a.md', rev: 'abcdef0' })
  await expect(readBy(new Error('git exited with 128'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(readBy(fail('too_many_open_files'))).rejects.toMatchObject({ code: 'too_many_open_files' })
})
