import { expect, test } from 'vitest'
import { errorCatalogue } from '@svc/shared/wire/errors.ts'
import { backupProblem } from './backup-words.ts'

test.each([
  [{ code: 'backup_store_full', reason: 'QuotaExceeded' }, 'The storage is full (QuotaExceeded)'],
  [{ code: 'backup_broken', reason: 'ChunkMissing' }, 'The backup cannot be restored (ChunkMissing)'],
  [{ code: 'backup_store_unavailable' }, 'The storage cannot be reached; it is tried again'],
  [{ code: 'internal' }, 'It failed; it is tried again'],
])('%o is said as: %s', (problem, words) => {
  expect(backupProblem(problem)).toBe(words)
})

test('each code with words of its own exists', () => {
  for (const code of Object.keys(errorCatalogue)) expect(backupProblem({ code })).not.toBe('')
})
