import { expect, test } from 'vitest'
import type { NoteHistory } from '../history/note-history.ts'
import type { Vault } from '../vaults/vault.ts'
import { createPrepareRevert } from './prepare-revert.ts'

test('a revert that would leave the oldest changes out is refused before anything is read', async () => {
  const prepare = createPrepareRevert({
    vaultCommits: async () => ({ commits: [], untilThen: 0, hasMore: true }),
    texts: {
      revisions: () => expect.fail('read'),
      sizes: () => expect.fail('read'),
      contents: () => expect.fail('read'),
    },
    historyOf: () => ({}) as NoteHistory,
    runNoteJob: () => expect.fail('ran'),
    maxNoteBytes: 1,
  })
  const wish = {
    vault: {} as Vault,
    since: '2000-01-01T00:00:00Z',
    until: undefined,
    path: undefined,
    isMine: () => true,
  }
  await expect(prepare(wish)).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'since', message: 'must be later: more than 10,000 changes were made since' }],
  })
})
